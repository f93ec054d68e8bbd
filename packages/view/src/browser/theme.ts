import { byId } from './dom.ts'

const names = ['auto', 'light', 'dark'] as const
type Theme = (typeof names)[number]
const key = 'tenfold-theme'

/** Follows the system until the user chooses; the choice is stored if the browser allows it. */
export function createTheme(): { next(): void } {
  let theme = stored()
  const apply = (): void => {
    if (theme === 'auto') document.documentElement.removeAttribute('data-theme')
    else document.documentElement.setAttribute('data-theme', theme)
    const label = `Colours: ${theme === 'auto' ? 'as the system' : theme}`
    byId('theme').title = `${label} (t)`
    byId('theme').setAttribute('aria-label', label)
    dispatchEvent(new Event('themechange'))
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply)
  apply()
  return {
    next() {
      const dark = matchMedia('(prefers-color-scheme: dark)').matches
      // The first press must change something visible.
      const order: readonly Theme[] = dark ? ['auto', 'light', 'dark'] : ['auto', 'dark', 'light']
      theme = order[(order.indexOf(theme) + 1) % order.length] ?? 'auto'
      store(theme)
      apply()
    },
  }
}

function stored(): Theme {
  try {
    return names.find((name) => name === localStorage.getItem(key)) ?? 'auto'
  } catch {
    // Some browsers block storage for files: the choice then lasts as long as the page.
    return 'auto'
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(key, theme)
  } catch {
    // As above.
  }
}
