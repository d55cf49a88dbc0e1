// Starts the page. What cannot start says so instead of leaving a blank window.
import init from "./querylore.js";

init().catch((error) => {
  const note = document.createElement("p");
  note.className = "boot-error";
  note.textContent = `Querylore cannot start in this browser (${error.message}). It needs WebAssembly with SIMD: Chrome 91, Firefox 89, Safari 16.4 or newer.`;
  document.body.append(note);
});
