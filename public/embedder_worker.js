// The encoder worker. A rejected promise would otherwise end unseen by the page.
import init from "./embedder.js";
addEventListener("unhandledrejection", (event) => reportError(event.reason));
init();
