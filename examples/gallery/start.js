import init from "./gallery.js";
await init();
