import { scorerByNames } from '../plan/score-sentence.ts'
import { shorten } from '../tokens/shorten.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { type Block, wholeIfShort } from './block.ts'
import { linePassage, type Passage, type Unit, unitTokens, writePassage } from './passage.ts'
import { pastedPieces } from './pasted-pieces.ts'

/** A block whose pieces are chosen one after the other, given the names that the brief holds by then. */
export interface ChosenBlock {
  readonly title: string
  readonly share: number
  /** Size of a brief that begins to have the block. */
  readonly from: number
  /** Passages in the order in which they are written. */
  readonly passages: readonly Passage[]
  readonly choice: Choice
}

export interface Choice {
  /** The piece to take next; undefined after the last one. */
  readonly next: () => Unit | undefined
  /** Says that the brief holds a text of a block now. */
  readonly hold: (text: string, block: string) => void
}

/** The parts of a text for `fitBlocks`, and its limit. */
export interface FitOptions {
  readonly head: readonly string[]
  readonly blocks: readonly Block[]
  /** Blocks after the others. */
  readonly chosen?: readonly ChosenBlock[]
  readonly maxTokens: number
  readonly counter: TokenCounter
}

const defaultFirst = 60

const scoreSentence = scorerByNames()

/** Worth of a character of plain words. */
const plainWorth = 0.03

/** Share of its worth that a piece of pasted output has. */
const pastedShare = 0.4

/** Pieces of pasted output that a message shows beside the words of the user: frames of a stack say little more. */
const maxPasted = 8

/**
 * Builds a text of at most `maxTokens`: the head, then what fits of each block. All pieces have one order, whatever the
 * limit is: first the beginning of each block, then in proportion to the shares. The text holds the first ones that
 * fit, so that a larger limit never loses what a smaller one keeps. Throws RangeError below 100.
 */
export function fitBlocks(options: FitOptions): string {
  const { head, maxTokens, counter } = options
  if (!(maxTokens >= 100)) throw new RangeError(`expected maxTokens of at least 100, got ${maxTokens}`)
  const whole = wholeIfShort(options)
  if (whole !== undefined) return whole
  const queues = queuesOf(options)
  const order = inOrder(queues, maxTokens * enough - counter.count(`${head.join('\n')}\n`), options)
  const textOf = (count: number): string => writeText(queues, shownOf(order.slice(0, count)), options)
  let low = 0
  for (let high = order.length; low < high; ) {
    const middle = Math.ceil((low + high) / 2)
    if (counter.count(textOf(middle)) <= maxTokens) low = middle
    else high = middle - 1
  }
  return low === 0 ? cutTo(textOf(0), options) : textOf(low)
}

/** The sizes of pieces are estimates, mostly too high ones: so much of the limit is surely enough of them to choose from. */
const enough = 1.5

/** Where the pieces of a block come from, and those that were taken. */
interface Queue {
  readonly title: string
  readonly passages: readonly Passage[]
  readonly shown: ReadonlyMap<Passage, Set<number>>
  readonly levelOf: (size: number) => number
  readonly first: number
  readonly choice: Choice
  size: number
}

function queuesOf({ blocks, chosen = [] }: FitOptions): Queue[] {
  const queue = (
    title: string,
    passages: readonly Passage[],
    rest: Pick<Queue, 'choice' | 'first' | 'levelOf'>,
  ) => ({
    title,
    passages,
    shown: new Map(passages.map((passage) => [passage, new Set<number>()])),
    size: 0,
    ...rest,
  })
  return [
    ...blocks.map(({ title, lines, share, first = defaultFirst, newestLast }) => {
      const passages = lines.map(linePassage)
      return queue(title, passages, {
        choice: oneByOne(newestLast ? passages.toReversed() : passages),
        first,
        levelOf: (size) => size / share,
      })
    }),
    ...chosen.map(({ title, share, from, passages, choice }) =>
      queue(title, passages, { choice, first: 0, levelOf: (size) => from + size / share }),
    ),
  ]
}

/**
 * The pieces of passages in order. What follows the first piece of a long one comes after all first ones, the pieces
 * with the most names for their length first, and last of all those that repeat another.
 */
function oneByOne(passages: readonly Passage[]): Choice {
  const said = new Set<string>()
  const units = passages.flatMap((passage) => {
    const pasted = passage.pieces.length === 1 ? [] : pastedPieces(passage.pieces)
    return passage.pieces.map((text, piece) => {
      const isRepeated = said.has(text.trim())
      said.add(text.trim())
      return { passage, piece, share: isRepeated ? 0 : pasted[piece] ? pastedShare : 1 }
    })
  })
  const worthOf = ({ passage, piece, share }: (typeof units)[number]) => {
    const text = passage.pieces[piece] ?? ''
    return (share * (plainWorth * text.length + scoreSentence(text))) / Math.sqrt(text.length + 16)
  }
  const pastedOf = new Map<Passage, number>()
  const order = [
    ...units.filter(({ piece }) => piece === 0),
    ...units
      .filter(({ piece }) => piece > 0)
      .map((unit) => ({ unit, worth: worthOf(unit) }))
      .sort((a, b) => b.worth - a.worth)
      .map(({ unit }) => unit)
      .filter(({ passage, share }) => {
        const before = pastedOf.get(passage) ?? 0
        if (share === pastedShare) pastedOf.set(passage, before + 1)
        return share !== pastedShare || before < maxPasted
      }),
  ]
  let at = 0
  return { next: () => order[at++], hold: () => {} }
}

/** The pieces in the order in which they are taken, up to a size. */
function inOrder(queues: readonly Queue[], room: number, { counter }: FitOptions): Unit[] {
  const taken: Unit[] = []
  let left = room
  const next = new Map(queues.map((queue) => [queue, candidate(queue, counter)]))
  const take = (queue: Queue, { unit, size }: Candidate): boolean => {
    left -= size
    if (left < 0) return false
    queue.size += size
    queue.shown.get(unit.passage)?.add(unit.piece)
    taken.push(unit)
    const text = unit.passage.pieces[unit.piece] ?? ''
    for (const { choice } of queues) choice.hold(text, queue.title)
    next.set(queue, candidate(queue, counter))
    return true
  }
  for (const queue of queues) {
    for (;;) {
      const one = next.get(queue)
      if (one === undefined || queue.size + one.size > queue.first) break
      if (!take(queue, one)) return taken
    }
  }
  for (;;) {
    let best: { queue: Queue; one: Candidate; level: number } | undefined
    for (const [queue, one] of next) {
      if (one === undefined) continue
      const level = queue.levelOf(queue.size + one.size)
      if (best === undefined || level < best.level) best = { queue, one, level }
    }
    if (best === undefined || !take(best.queue, best.one)) return taken
  }
}

interface Candidate {
  readonly unit: Unit
  readonly size: number
}

function candidate(queue: Queue, counter: TokenCounter): Candidate | undefined {
  const unit = queue.choice.next()
  if (unit === undefined) return undefined
  const title = queue.size === 0 ? counter.count(`\n## ${queue.title}\n`) : 0
  return { unit, size: title + unitTokens(unit, queue.shown.get(unit.passage) ?? new Set(), counter) }
}

/** The pieces of each passage that are shown. */
function shownOf(units: readonly Unit[]): ReadonlyMap<Passage, Set<number>> {
  const shown = new Map<Passage, Set<number>>()
  for (const { passage, piece } of units) shown.set(passage, (shown.get(passage) ?? new Set()).add(piece))
  return shown
}

function writeText(
  queues: readonly Queue[],
  shown: ReadonlyMap<Passage, Set<number>>,
  { head, counter }: FitOptions,
): string {
  return `${[...head, ...queues.flatMap((queue) => writeQueue(queue, shown, counter))].join('\n')}\n`
}

function writeQueue(
  { title, passages }: Queue,
  shown: ReadonlyMap<Passage, Set<number>>,
  counter: TokenCounter,
): string[] {
  const lines = passages.flatMap((passage) => {
    const pieces = shown.get(passage)
    return pieces === undefined ? [] : [writePassage(passage, pieces, counter)]
  })
  return lines.length === 0 ? [] : ['', `## ${title}`, ...lines]
}

/** A limit below the first piece: the beginning of what would come first. */
function cutTo(text: string, { blocks, maxTokens, counter }: FitOptions): string {
  const [first] = blocks.filter(({ lines }) => lines.length > 0)
  const whole = first === undefined ? text : `${text}\n## ${first.title}\n${first.lines.join('\n')}\n`
  return counter.count(whole) <= maxTokens ? whole : `${shorten(whole, maxTokens - 1, counter)}\n`
}
