import { append, button, element } from './dom.ts'
import { icon } from './icons.ts'

/** A box around an element with a button that copies its text. */
export function withCopy(content: HTMLElement, text: () => string): HTMLElement {
  return append(element('div', { class: 'copied' }), content, copyButton(text))
}

/** A button that copies a text, and says for a moment that it did. */
export function copyButton(text: () => string, label = 'Copy'): HTMLButtonElement {
  const made = button(
    { class: 'copy', title: label, 'aria-label': label },
    async () => {
      const done = await copy(text())
      made.setAttribute('data-done', done ? 'Copied' : 'Not copied')
      setTimeout(() => made.removeAttribute('data-done'), 1500)
    },
    icon('copy'),
  )
  return made
}

/** Copies a text; some browsers offer the clipboard only to pages of a server. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const field = element('textarea', { class: 'hidden', 'aria-hidden': 'true' })
  field.value = text
  const focused = document.activeElement
  document.body.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return done
}
