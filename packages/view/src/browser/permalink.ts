import { button } from './dom.ts'

export function linkTo(id: string): string {
  return `${location.href.replace(/#.*$/s, '')}#${id}`
}

/** The id of an event, which puts a link to it into the address bar. */
export function permalink(id: string, label: string): HTMLButtonElement {
  return button({ class: 'id', 'aria-label': label }, () => setPlace(id), id)
}

/** Names an event in the address bar, without an entry in the history of the browser. */
function setPlace(id: string): void {
  history.replaceState(null, '', linkTo(id))
  dispatchEvent(new Event('hashchange'))
}

export function followPlace(go: (id: string) => void): void {
  const look = (): void => {
    const id = location.hash.slice(1)
    if (/^[er]\d{1,9}$/.test(id)) go(id)
  }
  addEventListener('hashchange', look)
  look()
}
