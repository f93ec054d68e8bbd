import { formatTrailEntry } from '../bundle/markdown-trail.ts'
import type { ContextBundle, TrailEntry } from '../bundle/schema.ts'
import { isDecisive } from '../plan/decisive-lines.ts'
import { isCode } from '../plan/score-sentence.ts'
import type { Choice, ChosenBlock } from './fit-blocks.ts'
import { namesIn, type Passage, piecesOf, type Unit } from './passage.ts'

/**
 * The main agent's trail as a block of a brief, oldest first: pieces of all entries, the best for their size first. A
 * piece is worth its words, by who says them, and the names in it that the brief does not hold yet: those that several
 * events use, and the late ones, count most.
 */
export function trailBlock(bundle: ContextBundle): ChosenBlock {
  const main = bundle.trail.filter((entry) => entry.agent === 'main')
  const last = main.findLast(({ label }) => label === 'user')
  const entries = main.filter((entry) => entry !== last)
  const passages = entries.map(entryPassage)
  return {
    title: 'What happened, oldest first',
    share: 0.9,
    from: 500,
    passages,
    choice: bestFirst(passages, worthsOf(entries, bundle)),
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

/** What a piece of an entry is worth, and a name in it that is new. */
interface Worths {
  readonly ofWords: (entry: number, piece: number, text: string) => number
  /** Share of their worth that the words of each further piece of the entry keep. */
  readonly fade: (entry: number) => number
  readonly ofName: (name: string) => number
}

/** Worth of the words of an entry, by who speaks; the lines of a tool call have that of `tool`. */
const wordWorth = { answer: 1.6, error: 0.9, tool: 0.2, other: 0.2, chatter: 0.12 }

/** What the user said or handed over is worth far more than the words of others: each piece, and each of its tokens. */
const userWorth = { piece: 6, token: 0.4 }

function worthsOf(entries: readonly TrailEntry[], bundle: ContextBundle): Worths {
  const uses = new Map<string, { count: number; last: number }>()
  const use = (text: string, place: number) => {
    for (const name of new Set(namesIn(text))) {
      const { count = 0, last = 0 } = uses.get(name) ?? {}
      uses.set(name, { count: count + 1, last: Math.max(last, place) })
    }
  }
  for (const [at, { text }] of entries.entries()) use(text, (at + 1) / entries.length)
  for (const { action, command = '' } of bundle.nextSteps) use(`${action} ${command}`, 1)
  for (const { text } of [...bundle.constraints, ...bundle.openQuestions]) use(text, 1)
  const kinds = entries.map((entry, at) => kindOf(entry, entries[at + 1]))
  return {
    ofWords(entry, piece, text) {
      const kind = kinds[entry] ?? 'other'
      const tokens = tokensOf(text)
      if (kind === 'user') return userWorth.piece + userWorth.token * tokens
      const recent = 1 + 0.6 * ((entry + 1) / entries.length) ** 2
      const opens = piece === 0 ? 1.4 : 1
      const failure = kind === 'error' && isDecisive(text) ? 2 : 1
      const code = kind === 'answer' && isCode(text) ? 0.4 : 1
      return wordWorth[kind] * Math.sqrt(Math.min(tokens, 30)) * recent * opens * failure * code
    },
    fade: (entry) => (kinds[entry] === 'user' ? 0.98 : 0.75),
    ofName(name) {
      const { count, last } = uses.get(name) ?? { count: 1, last: 0 }
      return Math.log2(1 + count) * (0.5 + last ** 2)
    },
  }
}

type WordKind = keyof typeof wordWorth | 'user'

function kindOf({ label, text }: TrailEntry, next: TrailEntry | undefined): WordKind {
  switch (label) {
    case 'user':
    case 'plan':
      return 'user'
    case 'assistant':
      return next === undefined || next.label === 'user' ? 'answer' : 'chatter'
    case 'reasoning':
    case 'context':
    case 'compaction':
    case 'task':
      return 'other'
    default:
      return / -> (?!ok$)\S/m.test(text.slice(0, 400)) ? 'error' : 'tool'
  }
}

/** An estimate, to compare pieces: the exact number is counted of the chosen ones only. */
const tokensOf = (text: string) => text.length / 3.6

/** Tokens that the first piece of an entry, and a mark before it, take beside its text. */
const frameTokens = 9

/** Chooses the piece with the most worth for its size, again and again. */
function bestFirst(passages: readonly Passage[], { ofWords, fade, ofName }: Worths): Choice {
  const pieces = passages.flatMap((passage, entry) =>
    passage.pieces.map((text, piece) => {
      const names = new Set(namesIn(text))
      return {
        unit: { passage, piece } satisfies Unit,
        entry,
        tokens: tokensOf(text),
        words: ofWords(entry, piece, text),
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
  const shown = passages.map(() => 0)
  const said = new Set<string>()
  return {
    next() {
      let best: (typeof pieces)[number] | undefined
      let most = -1
      for (const piece of pieces) {
        if (piece.taken) continue
        const before = shown[piece.entry] ?? 0
        const words = said.has(piece.text) ? 0 : piece.words * fade(piece.entry) ** before
        const value = (words + piece.left) / (piece.tokens + (before === 0 ? frameTokens : 3))
        if (value > most) {
          most = value
          best = piece
        }
      }
      if (best === undefined) return undefined
      best.taken = true
      said.add(best.text)
      shown[best.entry] = (shown[best.entry] ?? 0) + 1
      return best.unit
    },
    hold(names) {
      for (const name of names) {
        for (const piece of byName.get(name) ?? []) piece.left = Math.max(0, piece.left - ofName(name))
        byName.delete(name)
      }
    },
  }
}
