// Starts the page. What cannot start says so instead of leaving a blank window.
import init from "./querylore.js";

init().catch((error) => {
  const note = document.createElement("p");
  note.className = "boot-error";
  note.textContent = `Querylore cannot start in this browser (${error.message}). It needs a current browser with WebAssembly SIMD.`;
  document.body.append(note);
});
