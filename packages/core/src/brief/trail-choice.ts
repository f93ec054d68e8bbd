import { formatTrailEntry } from '../bundle/markdown-trail.ts'
import type { ContextBundle, TrailEntry } from '../bundle/schema.ts'
import { isWritten } from '../bundle/sorts.ts'
import { namesAndNumbers } from '../plan/score-sentence.ts'
import type { Steps } from '../session/pauses.ts'
import type { Choice, ChosenBlock } from './fit-blocks.ts'
import { isIdle, isWords, lastAnswers, lastWords } from './last-words.ts'
import { type Passage, piecesOf, type Unit } from './passage.ts'
import { type TrailWorth, tokensOf, trailWorth } from './trail-worth.ts'

const title = 'What happened, oldest first'

/**
 * The main agent's trail as a block of a brief, oldest first: pieces of all entries, the best for their size first. A
 * piece is worth its words, by who says them, and the names in it that the brief does not hold yet: those that several
 * events use, and the late ones, count most.
 */
export function* trailBlock(bundle: ContextBundle): Steps<ChosenBlock> {
  const main = bundle.trail.filter((entry) => entry.agent === 'main')
  const last = new Set([...lastWords(main), ...lastAnswers(bundle)])
  const entries = main.filter((entry) => !last.has(entry) && !(entry.label === 'user' && isIdle(entry)))
  const passages: Passage[] = []
  for (const entry of entries) {
    passages.push(entryPassage(entry))
    yield
  }
  const worth = yield* trailWorth(
    entries,
    passages.map(({ pieces }) => pieces),
    bundle,
  )
  // What a model wrote says more for its tokens than pieces of the trail.
  const share = isWritten(bundle) ? 0.4 : 0.9
  const heads = requestsOf(entries)
  const choice = yield* bestFirst(passages, worth, heads)
  return { title, share, first: heads.length * firstOfRequest, from: 500, passages, choice }
}

/** Tokens of the beginning of a request that come before any block gets its share. */
const firstOfRequest = 11

/** The entries of the last requests of the user. */
function requestsOf(entries: readonly TrailEntry[]): number[] {
  const isRequest = ({ label, text }: TrailEntry) => label === 'user' && text.length > 9
  return entries.flatMap((entry, at) => (isRequest(entry) ? [at] : [])).slice(-maxRequests)
}

const maxRequests = 14

/** An entry of the trail, in pieces. */
function entryPassage(entry: TrailEntry): Passage {
  return {
    // A brief has room for the first words of many requests, and of many calls.
    pieces: piecesOf(entry.text, entry.label === 'user' ? 90 : isWords(entry) ? undefined : 300),
    // Nobody misses what a tool printed.
    write: (text) =>
      formatTrailEntry({ ...entry, text: isWords(entry) ? text : text.replace(/ …$/, '') }).join('\n'),
    isOutput: !isWords(entry),
    frame: 7,
  }
}

/** Tokens that a piece takes beside its text. */
const frameTokens = 6

/**
 * Chooses the beginnings of the requests, the newest first, and then the piece with the most worth for its size, again
 * and again. The first piece of an entry, without which no one knows what the others belong to, comes before them.
 */
function* bestFirst(
  passages: readonly Passage[],
  { ofWords, ofName }: TrailWorth,
  heads: number[],
): Steps<Choice> {
  const byEntry: Piece[][] = []
  const byName = new Map<string, Piece[]>()
  for (const [entry, passage] of passages.entries()) {
    yield
    const own = passage.pieces.map((text, piece): Piece => {
      const names = new Set(namesAndNumbers(text))
      return {
        unit: { passage, piece },
        entry,
        tokens: tokensOf(text),
        words: ofWords(entry, piece, text),
        text,
        names,
        left: [...names].reduce((sum, name) => sum + ofName(name, entry, piece), 0),
        taken: false,
        value: Number.POSITIVE_INFINITY,
      }
    })
    byEntry.push(own)
    for (const piece of own)
      for (const name of piece.names) {
        const others = byName.get(name)
        if (others === undefined) byName.set(name, [piece])
        else others.push(piece)
      }
  }
  const pieces = byEntry.flat()
  const shown = passages.map(() => new Set<number>())
  const missingHead = ({ entry, unit }: Piece) => {
    const head = unit.piece === 0 ? undefined : byEntry[entry]?.[0]
    return head?.taken ? undefined : head
  }
  const worthOf = (piece: Piece): number => {
    const words = piece.words * fade ** (shown[piece.entry]?.size ?? 0)
    const tokens = piece.tokens + (missingHead(piece)?.tokens ?? 0)
    return (words + piece.left) / (tokens + frameTokens)
  }
  return {
    next(isSaid) {
      let best: Piece | undefined
      while (best === undefined && heads.length > 0) {
        const head = byEntry[heads.pop() ?? -1]?.[0]
        if (head !== undefined && !isSaid(head.text)) best = head
      }
      // What is worth nothing is noise even if there is room.
      let most = best === undefined ? 0 : Number.POSITIVE_INFINITY
      for (const piece of pieces) {
        if (piece.taken || piece.value <= most) continue
        // What was taken since may have lowered it.
        piece.value = worthOf(piece)
        if (piece.value > most && isSaid(piece.text)) piece.value = 0
        if (piece.value <= most) continue
        most = piece.value
        best = piece
      }
      if (best === undefined) return undefined
      const taken = missingHead(best) ?? best
      taken.taken = true
      shown[taken.entry]?.add(taken.unit.piece)
      // Only those of one entry can gain by it.
      for (const piece of byEntry[taken.entry] ?? []) piece.value = Number.POSITIVE_INFINITY
      return taken.unit
    },
    hold(text) {
      for (const name of namesAndNumbers(text)) {
        for (const piece of byName.get(name) ?? [])
          piece.left = Math.max(0, piece.left - ofName(name, piece.entry, piece.unit.piece))
        byName.delete(name)
      }
    },
  }
}

/** Share of their worth that the words of each further piece of an entry keep. */
const fade = 0.9

/** A piece of the trail while pieces are chosen. */
interface Piece {
  readonly unit: Unit
  readonly entry: number
  readonly tokens: number
  readonly words: number
  readonly text: string
  readonly names: ReadonlySet<string>
  /** Worth of its names that the brief does not hold. */
  left: number
  taken: boolean
  /** No less than what it is worth for its size now. */
  value: number
}
