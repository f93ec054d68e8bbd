import { byId } from './dom.ts'
import type { PageUpdate } from './page-data.ts'

/** Follows a log that is served: calls `onUpdate` with what changed since `revision`. */
export function follow(revision: number, onUpdate: (update: PageUpdate) => void): void {
  const badge = byId('live')
  const show = (state: string, text: string): void => {
    badge.hidden = false
    badge.setAttribute('data-state', state)
    badge.textContent = text
  }
  let known = revision
  show('wait', 'Connecting')
  const source = new EventSource(`events?after=${revision}`)
  source.addEventListener('open', () => show('on', 'Live'))
  source.addEventListener('error', () => show('off', 'Not connected'))
  source.addEventListener('update', ({ data }: MessageEvent<string>) => {
    const update: PageUpdate = JSON.parse(data)
    // A line that arrives twice after a lost connection changes nothing.
    if (update.revision <= known) return
    known = update.revision
    onUpdate(update)
  })
  // The log was replaced, or the server is a new one: the shown data is useless.
  source.addEventListener('reload', () => location.reload())
}
