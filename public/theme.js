// Runs before the first paint, so that a chosen theme never flashes. The page's policy forbids inline scripts.
try {
  const theme = localStorage.getItem('yardstick-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is blocked: the system's theme holds.
}
