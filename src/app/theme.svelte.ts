/** Light, dark, or as the system says. `public/theme.js` applies the stored choice before the first paint. */

export type Theme = 'auto' | 'light' | 'dark'

const storageKey = 'yardstick-theme'

export class ThemeChoice {
  current: Theme = $state('auto')

  constructor() {
    this.current = readTheme()
  }

  choose(theme: Theme): void {
    this.current = theme
    if (theme === 'auto') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    try {
      localStorage.setItem(storageKey, theme)
    } catch {
      // Storage may be blocked; the choice then lasts as long as the page.
    }
  }
}

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(storageKey)
    return stored === 'light' || stored === 'dark' ? stored : 'auto'
  } catch {
    return 'auto'
  }
}
