import { byId } from './dom.ts'

const names = ['auto', 'light', 'dark'] as const
type Theme = (typeof names)[number]

/** Follows the system until the user chooses; the choice is stored if the browser allows it. */
export function createTheme(): { next(): void } {
  let theme = names.find((name) => name === recall('theme')) ?? 'auto'
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
      remember('theme', theme)
      apply()
    },
  }
}

/** A choice of the reader, if the browser allows pages to store something: it blocks storage for some files. */
export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(`tenfold-${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores a choice; without storage it lasts as long as the page. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`tenfold-${name}`, value)
  } catch {
    // As above.
  }
}
