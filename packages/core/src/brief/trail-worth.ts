import type { ContextBundle, TrailEntry } from '../bundle/schema.ts'
import { isDecisive } from '../plan/decisive-lines.ts'
import type { Steps } from '../session/pauses.ts'
import { lastWords } from './last-words.ts'
import { namesIn } from './passage.ts'
import { pastedPieces } from './pasted-pieces.ts'

/** What the pieces of the entries of a trail are worth, and a name in it that the brief does not hold yet. */
export interface TrailWorth {
  readonly ofWords: (entry: number, piece: number, text: string) => number
  /** Share of the worth of its names that a piece gets. */
  readonly nameShare: (entry: number, piece: number, text: string) => number
  /** Share of their worth that the words of each further piece of the entry keep. */
  readonly fade: (entry: number) => number
  readonly ofName: (name: string) => number
  /** Whether the other pieces of the entry say little without its first: all but errors. */
  readonly needsHead: (entry: number) => boolean
}

/** Worth of the words of an entry, by who speaks; the lines of a tool call have that of `tool`. */
const wordWorth = {
  answer: 1.4,
  plan: 1.2,
  explanation: 0.6,
  error: 0.8,
  last: 0.8,
  tool: 0.2,
  solved: 0.1,
  other: 0.2,
  pasted: 0.6,
  chatter: 0.12,
}

/** What the agent said in more pieces than this while it worked explains something: a shorter text announces a call. */
const maxAnnounced = 2

/** The last entries of a trail, whose calls show where the work stopped. */
const lastEntries = 3

/** What the user said or handed over is worth far more than the words of others: each piece, and each of its tokens. */
const userWorth = { piece: 6, token: 0.4 }

/** Weighs the pieces of a trail by who says them, what they say, and the names that several events use. */
export function* trailWorth(
  entries: readonly TrailEntry[],
  pieces: readonly (readonly string[])[],
  bundle: ContextBundle,
): Steps<TrailWorth> {
  const usesOf = yield* countUses(entries, bundle)
  const open = bundle.errors.flatMap(({ resolution, evidence }) =>
    resolution === undefined ? evidence.map(numberOf) : [],
  )
  const lastEdit = entries.findLastIndex(({ text }) => edit.test(text))
  const kinds = entries.map((entry, at): WordKind => {
    const kind = kindOf(entry, entries[at + 1])
    // A plan that was carried out since is history.
    if (kind === 'user' && entry.label === 'plan' && at < lastEdit) return 'plan'
    if (kind === 'chatter' && (pieces[at]?.length ?? 0) > maxAnnounced) return 'explanation'
    const end = numberOf(entries[at + 1]?.event ?? 'eInfinity')
    // What was solved since is history too.
    if (kind === 'error' && !open.some((event) => event >= numberOf(entry.event) && event < end))
      return 'solved'
    return kind === 'tool' && at >= entries.length - lastEntries ? 'last' : kind
  })
  // What turns that were cut off found and did is in no answer.
  const isCut = /^(?:interrupted|in-progress|failed)$/.test(bundle.state ?? '')
  const asked = numberOf(lastWords(bundle.trail)[0]?.event ?? 'eInfinity')
  const before = entries.filter(({ event }) => numberOf(event) < asked)
  const isAnswer = (entry: TrailEntry, at: number) => kindOf(entry, before[at + 1]) === 'answer'
  const answered = isCut ? before.findLastIndex(isAnswer) : entries.length
  const pasted: boolean[][] = []
  for (const [at, { label }] of entries.entries()) {
    pasted.push(label === 'user' ? pastedPieces(pieces[at] ?? []) : [])
    yield
  }
  return {
    ofWords(entry, piece, text) {
      const kind = pasted[entry]?.[piece] ? 'pasted' : (kinds[entry] ?? 'other')
      const tokens = tokensOf(text)
      if (empty.test(text)) return 0
      const current = entry > answered ? 4 : 1
      if (kind === 'user') return current * (userWorth.piece + userWorth.token * tokens)
      const recent = 1 + 0.6 * ((entry + 1) / entries.length) ** 2
      const opens = piece === 0 ? 1.4 : 1
      const failure = (kind === 'error' || kind === 'pasted') && isDecisive(text) ? 2 : 1
      const leads = leadIn.test(text) ? 0.4 : 1
      const size = prose.has(kind) ? Math.min(tokens, 60) / 4 : Math.sqrt(Math.min(tokens, 30))
      return wordWorth[kind] * size * recent * opens * failure * leads * current
    },
    nameShare(entry, piece, text) {
      if (pasted[entry]?.[piece]) return isDecisive(text) ? 0.6 : 0.1
      // That a file was read or searched says little without what was found.
      return pieces[entry]?.length === 1 && kinds[entry] === 'tool' && !/ -> | [+]\d/.test(text) ? 0.2 : 1
    },
    fade: (entry) => fades[kinds[entry] ?? 'other'] ?? 0.75,
    ofName(name) {
      const { count, last } = usesOf.get(name) ?? { count: 1, last: 0 }
      return Math.log2(1 + count) * (0.5 + last ** 2)
    },
    needsHead: (entry) => kinds[entry] !== 'error',
  }
}

/** A long sentence of these says as much for its tokens as a short one; of others, the names count. */
const prose: ReadonlySet<WordKind> = new Set<WordKind>(['answer', 'plan', 'explanation'])

/** Share of their worth that the words of each further piece keep, by kind; those of others 0.75. */
const fades: Partial<Record<WordKind, number>> = { user: 0.9, answer: 0.9, plan: 0.95 }

/** An edit as the trail shows it: `src/a.ts +12 -3`. */
const edit = /^.{1,400} [+]\d{1,7}(?: -\d{1,7})?$/m

function numberOf(event: string): number {
  return Number(event.slice(1))
}

/** A fence, a rule, the border of a table. */
const empty = /^\s*(?:```\w*|[|:*_#=\s-]*)\s*$/

/** Words that only announce what follows. */
const leadIn = /:[*_]{0,2}\s*$|^\s*#{1,6} /

/** How many entries use a name, and the place of the last of them, from 0 to 1. */
function* countUses(
  entries: readonly TrailEntry[],
  { nextSteps, constraints, openQuestions }: ContextBundle,
): Steps<ReadonlyMap<string, { readonly count: number; readonly last: number }>> {
  const uses = new Map<string, { count: number; last: number }>()
  const use = (text: string, place: number) => {
    for (const name of new Set(namesIn(text))) {
      const { count = 0, last = 0 } = uses.get(name) ?? {}
      uses.set(name, { count: count + 1, last: Math.max(last, place) })
    }
  }
  for (const [at, { text }] of entries.entries()) {
    use(text, (at + 1) / entries.length)
    yield
  }
  for (const { action, command = '' } of nextSteps) use(`${action} ${command}`, 1)
  for (const { text } of [...constraints, ...openQuestions]) use(text, 1)
  return uses
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
      return / -> (?!ok$|unknown$)\S/m.test(text.slice(0, 400)) ? 'error' : 'tool'
  }
}

/** An estimate, to compare pieces: the exact number is counted of the chosen ones only. */
export const tokensOf = (text: string) => text.length / 3.6
