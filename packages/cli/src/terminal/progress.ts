import type { ProgressEvent } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { formatBytes, formatCount, formatShare } from './numbers.ts'
import { fitCell } from './table.ts'
import type { Terminal } from './terminal.ts'

export type Progress = ReturnType<typeof showProgress>

const eraseLine = '\r\u001b[2K'
const minPause = 80

/** Shows progress on stderr if that is a terminal, `wanted` is set and the command neither quiet nor read by a program; otherwise shows nothing. */
export function showProgress(terminal: Terminal, wanted = true) {
  const line = progressLine(terminal, wanted)
  return {
    clear: line.clear,
    show: (log: string, event: ProgressEvent) => line.show(event.step, () => stepLine(log, event)),
  }
}

/** A line for any text: a new `step` is shown at once, the same one only at intervals. */
export function progressLine(terminal: Terminal, wanted = true) {
  const { stderr } = process
  const isShown = wanted && !terminal.json && !terminal.quiet && stderr.isTTY && process.env.TERM !== 'dumb'
  let shown = false
  let last = { at: 0, step: '' }
  const clear = (): void => {
    if (shown) stderr.write(eraseLine)
    shown = false
  }
  if (isShown) terminal.beforeLine = clear
  return {
    clear,
    show(step: string, text: () => string): void {
      if (!isShown) return
      const now = performance.now()
      if (step === last.step && now - last.at < minPause) return
      last = { at: now, step }
      stderr.write(`${eraseLine}${fitCell(text(), (stderr.columns || 80) - 1)}`)
      shown = true
    },
  }
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
    case 'summarize':
      return summarizeText(event)
    case 'assemble':
      return 'fitting the bundle'
    case 'save':
      return 'saving'
  }
}

function summarizeText({
  summarizer,
  tokens,
  part,
  usage,
  cost,
}: ProgressEvent & { step: 'summarize' }): string {
  const parts = part === undefined || part.of === 1 ? '' : `, part ${part.done} of ${part.of}`
  const spent =
    usage === undefined ? '' : `, ${formatCount((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0))} spent`
  const price = cost === undefined ? '' : ` (${cost.amount.toFixed(2)} ${cost.currency})`
  return `${summarizer} reads ${formatCount(tokens)} tokens${parts}${spent}${price}`
}
