import { append, button, element } from './dom.ts'
import { icon } from './icons.ts'

/** A box around an element with a button that copies its text. */
export function withCopy(content: HTMLElement, text: () => string): HTMLElement {
  return append(element('div', { class: 'copied' }), content, copyButton(text))
}

/** A button that copies a text, and says for a moment that it did. */
export function copyButton(text: () => string, label = 'Copy'): HTMLButtonElement {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text())
      made.setAttribute('data-done', 'Copied')
    } catch {
      // Browsers offer the clipboard only to files and secure pages, and some not even to these.
      made.setAttribute('data-done', 'Not copied')
    }
    setTimeout(() => made.removeAttribute('data-done'), 1500)
  }
  const made = button({ class: 'copy', title: label, 'aria-label': label }, copy, icon('copy'))
  return made
}
