import { formatTrailEntry } from '../bundle/markdown-trail.ts'
import type { ContextBundle, TrailEntry } from '../bundle/schema.ts'
import { isExit } from '../facts/state/last-turn.ts'
import type { Choice, ChosenBlock } from './fit-blocks.ts'
import { lastWords } from './last-words.ts'
import { namesIn, type Passage, piecesOf, type Unit } from './passage.ts'
import { quotedTexts } from './quoted-texts.ts'
import { type TrailWorth, tokensOf, trailWorth } from './trail-worth.ts'

const title = 'What happened, oldest first'

/** Share of their worth that words keep if another block of the brief holds them. */
const elsewhere = 0.3

/**
 * The main agent's trail as a block of a brief, oldest first: pieces of all entries, the best for their size first. A
 * piece is worth its words, by who says them, and the names in it that the brief does not hold yet: those that several
 * events use, and the late ones, count most.
 */
export function trailBlock(bundle: ContextBundle): ChosenBlock {
  const main = bundle.trail.filter((entry) => entry.agent === 'main')
  const last = new Set(lastWords(main))
  const entries = main.filter((entry) => !last.has(entry) && !(entry.label === 'user' && isExit(entry.text)))
  const passages = entries.map(entryPassage)
  return {
    title,
    share: 0.9,
    from: 500,
    passages,
    choice: bestFirst(
      passages,
      trailWorth(
        entries,
        passages.map(({ pieces }) => pieces),
        bundle,
      ),
    ),
  }
}

/** An entry of the trail, in pieces. */
function entryPassage(entry: TrailEntry): Passage {
  return {
    pieces: piecesOf(entry.text),
    write: (text) => formatTrailEntry({ ...entry, text }).join('\n'),
    frame: 7,
  }
}

/** Tokens that the first piece of an entry takes beside its text. */
const frameTokens = 6

/** Tokens of the mark between two pieces that do not follow each other. */
const markTokens = 4

/**
 * Chooses the piece with the most worth for its size, again and again. The first piece of an entry, without which
 * no one knows what the others belong to, comes before them.
 */
function bestFirst(
  passages: readonly Passage[],
  { ofWords, nameShare, fade, ofName, needsHead }: TrailWorth,
): Choice {
  const pieces = passages.flatMap((passage, entry) =>
    passage.pieces.map((text, piece) => {
      const names = new Set(namesIn(text))
      return {
        unit: { passage, piece } satisfies Unit,
        entry,
        tokens: tokensOf(text),
        words: ofWords(entry, piece, text),
        isElsewhere: false,
        nameShare: nameShare(entry, piece, text),
        text: text.trim(),
        names,
        left: [...names].reduce((sum, name) => sum + ofName(name), 0),
        taken: false,
      }
    }),
  )
  const byName = new Map<string, (typeof pieces)[number][]>()
  for (const piece of pieces)
    for (const name of piece.names) {
      const others = byName.get(name)
      if (others === undefined) byName.set(name, [piece])
      else others.push(piece)
    }
  const quotedIn = quotedTexts(pieces.map((piece) => [piece.text, piece]))
  const shown = passages.map(() => new Set<number>())
  const besideTokens = ({ entry, unit: { piece } }: (typeof pieces)[number]) => {
    const others = shown[entry]
    if (others === undefined || others.size === 0) return frameTokens + markTokens
    return markTokens * (1 - Number(others.has(piece - 1)) - 0.5 * Number(others.has(piece + 1)))
  }
  const heads = new Map(pieces.filter(({ unit }) => unit.piece === 0).map((piece) => [piece.entry, piece]))
  const missingHead = ({ entry, unit }: (typeof pieces)[number]) => {
    if (unit.piece === 0 || !needsHead(entry)) return undefined
    const head = heads.get(entry)
    return head?.taken ? undefined : head
  }
  const said = new Set<string>()
  return {
    next() {
      let best: (typeof pieces)[number] | undefined
      let most = -1
      for (const piece of pieces) {
        if (piece.taken) continue
        const before = shown[piece.entry]?.size ?? 0
        const share = said.has(piece.text) ? 0 : piece.isElsewhere ? elsewhere : 1
        const words = share * piece.words * fade(piece.entry) ** before
        const head = missingHead(piece)
        const tokens = piece.tokens + (head?.tokens ?? 0)
        const value = (words + piece.nameShare * piece.left) / Math.max(1, tokens + besideTokens(piece))
        if (value > most) {
          most = value
          best = head ?? piece
        }
      }
      if (best === undefined) return undefined
      best.taken = true
      said.add(best.text)
      shown[best.entry]?.add(best.unit.piece)
      return best.unit
    },
    hold(text, block) {
      for (const name of namesIn(text)) {
        for (const piece of byName.get(name) ?? []) piece.left = Math.max(0, piece.left - ofName(name))
        byName.delete(name)
      }
      if (block !== title) for (const piece of quotedIn(text)) piece.isElsewhere = true
    },
  }
}
