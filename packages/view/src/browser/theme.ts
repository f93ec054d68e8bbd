import { byId } from './dom.ts'

const names = ['auto', 'light', 'dark'] as const
const key = 'tenfold-theme'

/** Follows the system until the user chooses. Returns what chooses the next theme. */
export function wireTheme(): () => void {
  let theme = names.find((name) => name === inStorage((storage) => storage.getItem(key))) ?? 'auto'
  const apply = (): void => {
    document.documentElement.toggleAttribute('data-theme', theme !== 'auto')
    if (theme !== 'auto') document.documentElement.setAttribute('data-theme', theme)
    const label = `Colours: ${theme === 'auto' ? 'as the system' : theme}`
    byId('theme').title = `${label} (t)`
    byId('theme').setAttribute('aria-label', label)
  }
  const next = (): void => {
    // The first press must change something visible.
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches
    const order = isDark ? names : (['auto', 'dark', 'light'] as const)
    theme = order[(order.indexOf(theme) + 1) % order.length] ?? 'auto'
    inStorage((storage) => storage.setItem(key, theme))
    apply()
  }
  byId('theme').addEventListener('click', next)
  apply()
  return next
}

/** Some browsers block storage for files: a choice then lasts as long as the page. */
function inStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage)
  } catch {
    return undefined
  }
}
