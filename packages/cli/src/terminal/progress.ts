import type { Note, ProgressEvent } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { fitCell } from './table.ts'
import type { Terminal } from './terminal.ts'
import { formatBytes, formatCount, formatNumberOf, formatShare } from './text.ts'

export type ShowProgress = (log: string, event: ProgressEvent) => void

const eraseLine = '\r\u001b[2K'
const minPause = 80

/** Shows a new `step` at once and the same step only at intervals. */
export function progressLine(terminal: Terminal, wanted = true): (step: string, text: () => string) => void {
  const { stderr } = process
  if (!wanted || terminal.json || terminal.quiet || !stderr.isTTY || process.env.TERM === 'dumb')
    return () => undefined
  let shown = false
  let last = { at: 0, step: '' }
  terminal.beforeLine = () => {
    if (shown) stderr.write(eraseLine)
    shown = false
  }
  return (step, text) => {
    const now = performance.now()
    if (step === last.step && now - last.at < minPause) return
    last = { at: now, step }
    stderr.write(`${eraseLine}${fitCell(text(), (stderr.columns || 80) - 1)}`)
    shown = true
  }
}

/** Shows lines such as `checking bundles: 3 of 10`. */
export function countProgress(terminal: Terminal) {
  const show = progressLine(terminal)
  return (what: string, done: number, of: number, more = ''): void =>
    show(what, () => `${what}: ${formatCount(done)} of ${formatCount(of)}${more}`)
}

export function showProgress(terminal: Terminal, wanted = true): ShowProgress {
  const show = progressLine(terminal, wanted)
  return (log, event) => show(event.step, () => stepLine(log, event))
}

export function stepLine(log: string, event: ProgressEvent): string {
  return `${stepText(event)}  ${cleanLine(log)}`
}

function stepText(event: ProgressEvent): string {
  switch (event.step) {
    case 'read': {
      const { bytes, total } = event
      if (total === undefined || total === 0) return `reading ${formatBytes(bytes)}`
      return `reading ${formatShare(Math.min(1, bytes / total), 0)} of ${formatBytes(total)}`
    }
    case 'plan':
      return `planning ${formatCount(event.events)} events`
    case 'summarize': {
      const { summarizer, tokens, part, usage, cost } = event
      const parts = part === undefined || part.of === 1 ? '' : `, part ${part.done} of ${part.of}`
      const sum = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
      const spent = usage === undefined ? '' : `, ${formatCount(sum)} tokens used`
      const price = cost === undefined ? '' : ` (${cost.amount.toFixed(2)} ${cost.currency})`
      return `${summarizer} reads ${formatCount(tokens)} tokens${parts}${spent}${price}`
    }
    case 'assemble':
      return 'fitting the bundle'
    case 'save':
      return 'saving'
  }
}

const shownNotes = 10

/** Prints a log's notes on stderr. */
export function printNotes(notes: readonly Note[], terminal: Terminal): void {
  const most = terminal.verbose ? notes.length : shownNotes
  for (const { code, message, line, count } of notes.slice(0, most)) {
    const place = line === undefined ? '' : ` (line ${line})`
    const times = count === undefined || count === 1 ? '' : ` ×${count}`
    terminal.note(`note: ${cleanLine(`${code}${times}: ${message}`)}${place}`)
  }
  if (notes.length > most)
    terminal.note(`… and ${formatNumberOf(notes.length - most, 'more note')}; --verbose prints them`)
}
