import { formatTrailEntry } from '../bundle/markdown-trail.ts'
import type { ContextBundle, TrailEntry } from '../bundle/schema.ts'
import { isWritten } from '../bundle/sorts.ts'
import { keepsBooks } from '../facts/state/harness-commands.ts'
import { namesAndNumbers } from '../plan/score-sentence.ts'
import type { Steps } from '../session/pauses.ts'
import type { Choice, ChosenBlock } from './block.ts'
import { isIdle, isWords, lastAnswers, lastWords } from './last-words.ts'
import { type Passage, piecesOf, type Unit } from './passage.ts'
import { type TrailWorth, tokensOf, trailWorth } from './trail-worth.ts'

const title = 'What happened, oldest first'

/**
 * Makes a block of the main agent's trail, oldest first: pieces of all entries, the best for their size first. The
 * worth of a piece depends on the author of its words, and on its names that the brief does not contain yet; those used
 * by several events, and late ones, count most.
 */
export function* trailBlock(bundle: ContextBundle): Steps<ChosenBlock> {
  const main = bundle.trail.filter((entry) => entry.agent === 'main')
  const last = new Set([...lastWords(main), ...lastAnswers(bundle)])
  // The tasks have a block of their own.
  const isIdleOne = (entry: TrailEntry) => (entry.label === 'user' ? isIdle(entry) : keepsBooks(entry.label))
  const entries = main.filter((entry) => !last.has(entry) && !isIdleOne(entry))
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
  // Words of a model are worth more per token than pieces of the trail.
  const share = isWritten(bundle) ? 0.4 : 0.9
  const heads = requestsOf(entries)
  const choice = yield* bestFirst(passages, worth, heads)
  return { title, share, first: heads.length * firstOfRequest, from: 500, passages, choice }
}

/** Tokens of the beginning of a request that come before any block gets its share. */
const firstOfRequest = 11

/** Returns the positions of the user's last requests. */
function requestsOf(entries: readonly TrailEntry[]): number[] {
  const isRequest = ({ label, text }: TrailEntry) => label === 'user' && text.length > 9
  return entries.flatMap((entry, at) => (isRequest(entry) ? [at] : [])).slice(-maxRequests)
}

const maxRequests = 14

/** Splits an entry of the trail into pieces. */
function entryPassage(entry: TrailEntry): Passage {
  return {
    // A brief has room for the first words of many requests and calls.
    pieces: piecesOf(entry.text, entry.label === 'user' ? 90 : isWords(entry) ? undefined : 300),
    // A gap in the output of a tool needs no mark.
    write: (text) =>
      formatTrailEntry({ ...entry, text: isWords(entry) ? text : text.replace(/ …$/, '') }).join('\n'),
    isOutput: !isWords(entry),
    frame: 7,
  }
}

/** Tokens that a piece takes beside its text. */
const frameTokens = 6

/**
 * Chooses the beginnings of the requests, newest first, and then repeatedly the piece with the most worth for its size.
 * The first piece of an entry, without which the others have no context, precedes them.
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
      // Worthless pieces are noise even if there is room.
      let most = best === undefined ? 0 : Number.POSITIVE_INFINITY
      for (const piece of pieces) {
        if (piece.taken || piece.value <= most) continue
        // Pieces taken since may have lowered it.
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
      // Only pieces of the same entry can gain.
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

/** Factor for the worth of the words in each further piece of an entry. */
const fade = 0.9

/** A piece of the trail while pieces are chosen. */
interface Piece {
  readonly unit: Unit
  readonly entry: number
  readonly tokens: number
  readonly words: number
  readonly text: string
  readonly names: ReadonlySet<string>
  /** Worth of its names that the brief does not contain. */
  left: number
  taken: boolean
  /** Upper bound of its current worth for its size. */
  value: number
}
