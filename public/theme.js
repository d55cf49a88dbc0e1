// Before the first paint: the theme the visitor chose, if any.
try {
  const theme = localStorage.getItem("querylore.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme.
}
