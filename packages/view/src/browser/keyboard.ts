import { byId } from './dom.ts'

/** Whether a key was meant for a field. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, select, textarea')
}

/** Calls the action of a key. Keys with modifiers belong to the browser. */
export function listenToKeys(actions: ReadonlyMap<string, () => void>): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (isTyping(event.target) && event.key !== 'Escape') return
    if (document.querySelector('dialog[open]') !== null && event.key !== '?') return
    // Enter on a button belongs to the button.
    if (event.key === 'Enter' && event.target instanceof Element && event.target.closest('button, summary'))
      return
    const action = actions.get(event.key)
    if (action === undefined) return
    event.preventDefault()
    action()
  })
}

/** Buttons that open a dialog, and what closes it. */
export function wireDialog(dialogId: string, openerId: string): { toggle(): void } {
  const dialog = byId(dialogId) as HTMLDialogElement
  const toggle = (): void => (dialog.open ? dialog.close() : dialog.showModal())
  byId(openerId).addEventListener('click', toggle)
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || (target instanceof Element && target.closest('.dismiss'))) dialog.close()
  })
  return { toggle }
}
