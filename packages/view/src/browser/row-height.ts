import type { Model } from './model.ts'
import type { Row } from './rows.ts'

const lineHeight = 22
const lettersPerLine = 95
const maxLines = 58

/** Expected height in pixels of a row that was never drawn. The scrollbar is as accurate as this. */
export function guessHeight(row: Row, { data }: Model): number {
  if (row.type === 'divider') return 56
  if (row.type === 'turn') return 58
  const event = data.events[row.item.index]
  const written = event?.type === 'user' || event?.type === 'assistant'
  if (event === undefined || !written || row.item.note !== undefined || row.item.agent !== undefined)
    return 33
  const text = event.text ?? ''
  let lines = 0
  for (let start = 0; start <= text.length && lines < maxLines; ) {
    const end = text.indexOf('\n', start)
    const length = (end === -1 ? text.length : end) - start
    lines += Math.max(1, Math.ceil(length / lettersPerLine))
    if (end === -1) break
    start = end + 1
  }
  return Math.min(lines, maxLines) * lineHeight + (event.type === 'user' ? 60 : 22)
}
