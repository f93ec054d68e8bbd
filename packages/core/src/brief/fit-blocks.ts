import { shorten } from '../tokens/shorten.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** One block of a brief: `lines` in order of importance; as many stay as fit into `share` of the room. */
export interface Block {
  readonly title: string
  readonly lines: readonly string[]
  readonly share: number
  /** The last lines are the most important: they stay, in their order. @default false */
  readonly newestLast?: boolean
}

/** Makes a block without its empty lines. */
export function block(title: string, share: number, lines: readonly string[]): Block {
  return { title, share, lines: lines.filter((line) => line !== '') }
}

/** The parts of a text for `fitBlocks`, and its limit. */
export interface FitOptions {
  readonly head: readonly string[]
  readonly blocks: readonly Block[]
  /** Returns the last lines, given the remaining tokens. */
  readonly tail: (room: number) => readonly string[]
  readonly maxTokens: number
  readonly counter: TokenCounter
}

/** Share of the tokens beyond `roomWithoutTail` that blocks leave for the tail. */
const tailShare = 0.4

/** With so few tokens the blocks come first. */
const roomWithoutTail = 1000

/**
 * Builds a text of at most `maxTokens`: the head, the lines of each block that fit, and a tail in the remaining room.
 * Throws RangeError below 100.
 */
export function fitBlocks({ head, blocks, tail, maxTokens, counter }: FitOptions): string {
  if (!(maxTokens >= 100)) throw new RangeError(`expected maxTokens of at least 100, got ${maxTokens}`)
  const lines = [...head]
  const sizeOf = (text: string) => counter.count(`${text}\n`)
  let left = maxTokens - sizeOf(lines.join('\n'))
  const forTail = tailShare * Math.max(0, maxTokens - roomWithoutTail)
  for (const block of blocks) {
    const room = Math.min(left - forTail, Math.floor(maxTokens * block.share))
    const kept: string[] = []
    let size = sizeOf(`\n## ${block.title}`)
    for (const line of block.newestLast ? block.lines.toReversed() : block.lines) {
      const fitting =
        size + sizeOf(line) <= room ? line : kept.length === 0 ? shorten(line, room - size - 2, counter) : ''
      if (fitting === '') continue
      kept.push(fitting)
      size += sizeOf(fitting)
    }
    if (kept.length === 0) continue
    lines.push('', `## ${block.title}`, ...(block.newestLast ? kept.reverse() : kept))
    left -= size
  }
  lines.push(...tail(left))
  return withinLimit(lines, maxTokens, counter)
}

/** Token counts of lines do not add up exactly to that of the whole: drops the last lines if needed. */
function withinLimit(lines: readonly string[], maxTokens: number, counter: TokenCounter): string {
  let text = `${lines.join('\n')}\n`
  for (let kept = lines.length; counter.count(text) > maxTokens && kept > 1; ) {
    kept--
    text = `${lines.slice(0, kept).join('\n').trimEnd()}\n`
  }
  return counter.count(text) <= maxTokens ? text : `${shorten(text, maxTokens - 1, counter)}\n`
}
