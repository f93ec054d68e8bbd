import { cleanLine, type ProgressEvent } from '@tenfold/core'
import { formatBytes, formatCount, formatShare } from './numbers.ts'
import { fitCell } from './table.ts'
import type { Terminal } from './terminal.ts'

/** One line at the bottom of a terminal that says what is being done. */
export interface Progress {
  show(log: string, event: ProgressEvent): void
  /** Takes the line away. */
  clear(): void
}

const eraseLine = '\r\u001b[2K'
const shortestPause = 80

/** Progress on stderr where that is a terminal and `wanted`; else nothing at all. */
export function showProgress(terminal: Terminal, wanted: boolean): Progress {
  const { stderr } = process
  if (!wanted || !stderr.isTTY || process.env.TERM === 'dumb') return { show: () => {}, clear: () => {} }
  let standing = false
  let last = { at: 0, step: '' }
  const clear = (): void => {
    if (standing) stderr.write(eraseLine)
    standing = false
  }
  terminal.beforeLine = clear
  return {
    clear,
    show(log, event) {
      const now = performance.now()
      if (event.step === last.step && now - last.at < shortestPause) return
      last = { at: now, step: event.step }
      const line = fitCell(`${stepText(event)}  ${cleanLine(log)}`, (stderr.columns || 80) - 1)
      stderr.write(`${eraseLine}${line}`)
      standing = true
    },
  }
}

/** What a step does, with how far it is. */
function stepText(event: ProgressEvent): string {
  switch (event.step) {
    case 'read': {
      const { bytes, total } = event
      if (total === undefined || total === 0) return `reading ${formatBytes(bytes)}`
      return `reading ${formatShare(Math.min(1, bytes / total), 0)} of ${formatBytes(total)}`
    }
    case 'plan':
      return `planning ${formatCount(event.events)} events`
    case 'summarize':
      return `summarizing ${formatCount(event.tokens)} tokens`
    case 'assemble':
      return 'fitting the bundle'
    case 'save':
      return 'saving'
  }
}
