import { button } from './dom.ts'

export function linkTo(id: string): string {
  return `${location.href.replace(/#.*$/s, '')}#${id}`
}

/** The id of an event, which puts a link to it into the address bar, without an entry in the history of the browser. */
export function permalink(id: string, label: string): HTMLButtonElement {
  return button({ class: 'id', 'aria-label': label }, () => location.replace(linkTo(id)), id)
}

export function followPlace(go: (id: string) => void): void {
  const look = (): void => {
    const id = location.hash.slice(1)
    if (/^[er]\d{1,9}$/.test(id)) go(id)
  }
  addEventListener('hashchange', look)
  look()
}
