import { shorten } from '../tokens/shorten.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** One block of a brief: `lines` in order of worth, of which as many stay as fit into `share` of the room. */
export interface Block {
  readonly title: string
  readonly lines: readonly string[]
  readonly share: number
  /** The last lines are worth most: they stay, in their order. @default false */
  readonly newestLast?: boolean
}

/** A block without its empty lines. */
export function block(title: string, share: number, lines: readonly string[]): Block {
  return { title, share, lines: lines.filter((line) => line !== '') }
}

/** What `fitBlocks` fits, and into what. */
export interface FitOptions {
  readonly head: readonly string[]
  readonly blocks: readonly Block[]
  /** The last lines, given the tokens that are left. */
  readonly tail: (room: number) => readonly string[]
  readonly maxTokens: number
  readonly counter: TokenCounter
}

/** Share of the tokens beyond `roomWithoutTail` that blocks leave for the tail. */
const tailShare = 0.4

/** In so few tokens the blocks come first. */
const roomWithoutTail = 1000

/** A text of at most `maxTokens`: the head, of each block what fits, and a tail for what is left. Throws RangeError below 100. */
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

/** Sizes of lines add up to slightly other numbers than the whole: the last lines give way. */
function withinLimit(lines: readonly string[], maxTokens: number, counter: TokenCounter): string {
  let text = `${lines.join('\n')}\n`
  for (let kept = lines.length; counter.count(text) > maxTokens && kept > 1; ) {
    kept--
    text = `${lines.slice(0, kept).join('\n').trimEnd()}\n`
  }
  return counter.count(text) <= maxTokens ? text : `${shorten(text, maxTokens - 1, counter)}\n`
}
