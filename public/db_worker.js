// The database worker. A rejected promise would otherwise end unseen by the page.
import init from "./db.js";
addEventListener("unhandledrejection", (event) => reportError(event.reason));
init();
