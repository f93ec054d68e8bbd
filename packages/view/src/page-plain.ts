import type { PageData, PageEvent } from './browser/page-data.ts'
import { escapeText } from './html-page.ts'

/** Most characters of the plain text, and of an event in it: the data of the page holds everything a second time. */
const maxLength = 800_000
const maxSaid = 8000
const maxShown = 600

/** The session as plain text, for browsers that run no scripts. */
export function plainPage({ session, events, bundle }: PageData): string {
  const parts: string[] = []
  let length = 0
  let shown = 0
  for (const event of events) {
    const text = plainEvent(event)
    if (length + text.length > maxLength) break
    length += text.length
    shown += 1
    if (text !== '') parts.push(text)
  }
  const rest = events.length - shown
  const more = rest === 0 ? '' : `\n\n${rest} more events: allow this page to run its script to read them.`
  const head = `<h1>${escapeText(session.title ?? session.id)}</h1>`
  return `<main class="no-script">${head}${plainBundle(bundle)}<h2>Session</h2><pre>${escapeText(parts.join('\n\n'))}${more}</pre></main>`
}

function plainEvent(event: PageEvent): string {
  const { id, type, text = '' } = event
  const head = id.padEnd(6)
  switch (type) {
    case 'user':
      return `${head} User: ${cut(text, maxSaid)}`
    case 'assistant':
      return `${head} Assistant: ${cut(text, maxSaid)}`
    case 'tool_call': {
      const input = (event.input ?? []).map(([label, value]) => (label === '' ? value : `${label}: ${value}`))
      return `${head} ${event.name ?? 'Tool'}  ${cut(input.join('  ').replace(/\s+/g, ' '), maxShown)}`
    }
    case 'tool_result': {
      const failed = event.status === 'ok' ? '' : ` (${event.status ?? 'unknown'})`
      return `${head} Result${failed}: ${cut(text, maxShown)}`
    }
    case 'compaction':
      return `${head} Compacted: ${cut(text, maxSaid)}`
    default:
      return ''
  }
}

function cut(text: string, length: number): string {
  const more = text.length - length
  return more <= 0 ? text : `${text.slice(0, length)} … ${more} more characters`
}

function plainBundle(bundle: PageData['bundle']): string {
  if (bundle === undefined) return ''
  const sections = bundle.sections.map(({ title, statements }) => {
    const items = statements.map(({ text, details }) => {
      const fields = details.map(([label, value]) => ` ${label}: ${value}`).join('')
      return `<li>${escapeText(`${text}${fields}`)}</li>`
    })
    return `<h3>${escapeText(title)}</h3><ul>${items.join('')}</ul>`
  })
  return `<h2>Bundle</h2>${sections.join('')}`
}
