import { sumsUp } from '../plan/condense.ts'
import { scorerByNames } from '../plan/score-sentence.ts'
import type { Steps } from '../session/pauses.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import type { Choice, ChosenBlock, FitOptions } from './block.ts'
import {
  command,
  empty,
  leadIn,
  linePassage,
  type Passage,
  pastedPieces,
  type Shown,
  type Unit,
  unitTokens,
  word,
  writePassage,
} from './passage.ts'
import { collectSaid } from './said.ts'

const defaultFirst = 60

const scoreSentence = scorerByNames()

/** Worth of a character of plain words. */
const plainWorth = 0.03

/**
 * Builds a text of at most `maxTokens`: the head, then the parts of each block that fit. All pieces have one order,
 * whatever the limit: first the beginning of each block, then in proportion to the shares, without repetitions. The
 * text has the first pieces that fit, so that a larger limit never loses content of a smaller one. Throws RangeError
 * below 100.
 */
export function* fitBlocks(options: FitOptions): Steps<string> {
  const { head, maxTokens, counter } = options
  if (!(maxTokens >= 100)) throw new RangeError(`expected maxTokens of at least 100, got ${maxTokens}`)
  const queues = yield* queuesOf(options)
  const order = yield* inOrder(queues, maxTokens * enough, counter)
  const textOf = (taken: readonly Taken[]): string => {
    const shown: ShownPieces = new Map()
    for (const { unit, text } of taken) show(unit, text, shown)
    return [...head, ...queues.flatMap((queue) => writeQueue(queue, shown)), ''].join('\n')
  }
  const fits = (text: string): boolean => counter.count(text) <= maxTokens
  const count = yield* most(order.length, (count) => fits(textOf(order.slice(0, count))))
  // The limit is below the first piece.
  if (count === 0) return yield* beginning(textOf(order.slice(0, 1)), (text) => text, fits)
  const taken = order.slice(0, count)
  const next = order[count]
  if (next === undefined || command.test(next.unit.passage.pieces.join(''))) return textOf(taken)
  return yield* beginning(
    next.text,
    (text) => textOf(text === '' ? taken : [...taken, { ...next, text }]),
    fits,
  )
}

/** Returns the largest count up to a limit that fits; 0 if none does. */
function* most(limit: number, fits: (count: number) => boolean): Steps<number> {
  let low = 0
  for (let high = limit; low < high; ) {
    yield
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** Sizes of pieces are estimates, mostly too high: pieces up to this multiple of the limit are enough to choose from. */
const enough = 1.5

/** A block while its pieces are taken. */
interface Queue extends ChosenBlock {
  size: number
  /** The next piece, and its size. */
  unit?: Unit | undefined
  more: number
}

function* queuesOf({ blocks, chosen }: FitOptions): Steps<Queue[]> {
  const queues = blocks.map(
    ({ title, lines, share, first = defaultFirst, newestLast, inOrder, kept }): Queue => {
      const passages = lines.map((line) => linePassage(line, inOrder, kept))
      const choice = oneByOne(newestLast ? passages.toReversed() : passages, inOrder)
      return { title, share, from: 0, passages, choice, first, size: 0, more: 0 }
    },
  )
  return chosen === undefined ? queues : [...queues, { ...(yield* chosen()), size: 0, more: 0 }]
}

/**
 * Returns the pieces of passages in order. The rest of a long passage comes after all first pieces: those with the most
 * names for their length first, or in order, and pasted output after all words.
 */
function oneByOne(passages: readonly Passage[], inOrder = false): Choice {
  const units = passages.flatMap((passage) => {
    const pasted = passage.pieces.length === 1 ? [] : pastedPieces(passage.pieces)
    let isCode = false
    const first = passage.pieces.findIndex(isBlank)
    const last = passage.pieces.findLastIndex(isBlank)
    // A longer last paragraph is no conclusion.
    const ends = passage.pieces.length - last < 5
    const sum = passage.pieces.findLastIndex((text) => sumsUp.test(text))
    return passage.pieces.map((text, piece) => {
      if (/^[>\s]*```/.test(text)) isCode = !isCode
      const isLess = pasted[piece] || isCode || (inOrder && leadIn.test(text)) || empty.test(text)
      const worth = (plainWorth * text.length + scoreSentence(text)) / Math.sqrt(text.length + 16)
      const isMain = sum < 0 ? piece < first || (ends && piece > last) || listItem.test(text) : piece > sum
      const rank = isLess ? 2 : Number(inOrder && !isMain)
      return { passage, piece, rank, worth: inOrder ? 0 : worth }
    })
  })
  const isFirst = ({ passage, piece }: Unit) => piece === 0 || !passage.isLong
  const others = units.filter((unit) => !isFirst(unit))
  const order = [...units.filter(isFirst), ...others.sort((a, b) => a.rank - b.rank || b.worth - a.worth)]
  let at = 0
  return { next: () => order[at++] }
}

const isBlank = (text: string) => /^>?\s*$/.test(text)
const listItem = /^> *(?:[-*•]|\d{1,2}[.)]) /

/** A piece with its text, which is empty if the brief already contains it. */
interface Taken {
  readonly unit: Unit
  readonly text: string
}

/** Returns the pieces in the order in which they are taken, up to a size. */
function* inOrder(queues: readonly Queue[], room: number, counter: TokenCounter): Steps<Taken[]> {
  const taken: Taken[] = []
  const shown: ShownPieces = new Map()
  const said = collectSaid()
  let left = room
  const add = (unit: Unit, text: string): void => {
    show(unit, text, shown)
    taken.push({ unit, text })
  }
  const isSaid = ({ passage, piece }: Unit): boolean =>
    passage.isKept !== true && said.has(passage.pieces[piece] ?? '')
  const ask = (queue: Queue, given?: Unit): void => {
    let unit = given ?? queue.choice.next(said.has)
    for (; unit !== undefined && isSaid(unit); unit = queue.choice.next(said.has)) add(unit, '')
    const title = queue.size === 0 ? counter.count(`\n## ${queue.title}\n`) : 0
    queue.unit = unit
    queue.more = unit ? title + unitTokens(unit, shown.get(unit.passage) ?? new Map(), counter) : 0
  }
  const take = (queue: Queue | undefined): boolean => {
    if (queue?.unit === undefined) return false
    const { unit, more } = queue
    const text = unit.passage.pieces[unit.piece] ?? ''
    if (isSaid(unit)) {
      ask(queue, unit)
      return true
    }
    left -= more
    if (left < 0 && taken.length > 0) return false
    queue.size += more
    add(unit, text)
    said.add(text)
    for (const { choice } of queues) choice.hold?.(text)
    ask(queue)
    return true
  }
  for (const queue of queues) {
    ask(queue)
    while (queue.unit !== undefined && queue.size + queue.more <= queue.first) {
      yield
      if (!take(queue)) return taken
    }
  }
  for (;;) {
    yield
    let best: Queue | undefined
    let least = 0
    for (const queue of queues) {
      if (queue.unit === undefined) continue
      const level = queue.from + (queue.size + queue.more) / queue.share
      if (best !== undefined && level >= least) continue
      best = queue
      least = level
    }
    if (!take(best)) return taken
  }
}

type ShownPieces = Map<Passage, Map<number, string>>

function show({ passage, piece }: Unit, text: string, shown: ShownPieces): void {
  shown.set(passage, (shown.get(passage) ?? new Map()).set(piece, text))
}

/** The label of an entry without any of its words. */
const nothing = /^(?:- \S+ \w+:)?[>…\s]*$/

function writeQueue({ title, passages }: Queue, shown: ReadonlyMap<Passage, Shown>): string[] {
  const lines = passages.flatMap((passage) => {
    const pieces = shown.get(passage)
    const text = pieces === undefined ? '' : writePassage(passage, pieces)
    return nothing.test(text) ? [] : [text]
  })
  return lines.length === 0 ? [] : ['', `## ${title}`, ...lines]
}

/** What is written of the first words of a text, so many as fit. */
function* beginning(
  text: string,
  write: (text: string) => string,
  fits: (written: string) => boolean,
): Steps<string> {
  const words = text.match(word) ?? []
  const end = text.endsWith('\n') ? '\n' : ' '
  const cut = (count: number): string =>
    write(
      count === words.length
        ? text
        : count < 4
          ? ''
          : words.slice(0, count).join('').replace(cutField, ` …${end}`),
    )
  return cut(yield* most(words.length, (count) => fits(cut(count))))
}

/** The end of a text before a cut, with a field of which there is no more than the name. */
const cutField = /(?: \| \w*:?)?\s*$/
