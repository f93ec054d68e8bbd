import type { ContextBundle, TrailEntry } from '../bundle/schema.ts'
import { namesAndNumbers } from '../plan/score-sentence.ts'
import type { Steps } from '../session/pauses.ts'
import { isCutOff, isEdit, isWords, lastWords } from './last-words.ts'
import { empty, pastedPieces } from './passage.ts'

/** Worth of pieces in the entries of a trail, and of a name that the brief does not contain yet. */
export interface TrailWorth {
  readonly ofWords: (entry: number, piece: number, text: string) => number
  readonly ofName: (name: string, entry: number, piece: number) => number
}

/** Worth of words by their author; the lines of a tool call have that of `tool`. */
const wordWorth = {
  answer: 1.4,
  plan: 1.2,
  explanation: 0.6,
  error: 0.5,
  tool: 0.2,
  solved: 0.1,
  other: 0.2,
  chatter: 0.12,
}

/** Computes the worth of the pieces of a trail by author, content, and names that several events use. */
export function* trailWorth(
  entries: readonly TrailEntry[],
  pieces: readonly (readonly string[])[],
  bundle: ContextBundle,
): Steps<TrailWorth> {
  const usesOf = yield* countUses(entries, bundle)
  const open = bundle.errors.flatMap(({ resolution, evidence }) =>
    resolution === undefined ? evidence.map(numberOf) : [],
  )
  const main = bundle.trail.filter(({ agent }) => agent === 'main')
  const nextOf = new Map(main.map((entry, at) => [entry, main[at + 1]]))
  // No answer contains the findings and actions of a turn that was cut off.
  const asked = isCutOff(bundle) ? numberOf(lastWords(main).at(-1)?.event ?? 'e0') : Infinity
  const isCurrent = (entry: TrailEntry | undefined) => numberOf(entry?.event ?? 'e0') > asked
  const lastEdit = entries.findLastIndex(isEdit)
  /** The last entry that edits each file, which makes earlier content of the file outdated. */
  const editOf = new Map(entries.flatMap((entry, at) => (isEdit(entry) ? [[fileOf(entry), at]] : [])))
  const kinds = entries.map((entry, at): WordKind => {
    const next = nextOf.get(entry)
    const kind = kindOf(entry, next)
    // A plan that was carried out is history.
    if (kind === 'user' && entry.label === 'plan' && at < lastEdit) return 'plan'
    // A shorter text announces a call.
    if (kind === 'chatter' && (pieces[at]?.length ?? 0) > 2) return 'explanation'
    if (kind === 'tool' && at < (editOf.get(fileOf(entry)) ?? at)) return 'solved'
    if (kind === 'tool' && isEdit(entry)) return 'other'
    const end = numberOf(next?.event ?? 'eInfinity')
    const isOpen = isCurrent(entry) || open.some((event) => event >= numberOf(entry.event) && event < end)
    // A solved error is history too.
    return kind === 'error' && !isOpen ? 'solved' : kind
  })
  const pasted: boolean[][] = []
  for (const [at, { label }] of entries.entries()) {
    pasted.push(label === 'user' ? pastedPieces(pieces[at] ?? []) : [])
    yield
  }
  const isOutput = (entry: number, piece: number) =>
    pasted[entry]?.[piece] === true || (piece > 0 && printed.has(kinds[entry] ?? 'other'))
  return {
    ofWords(entry, piece, text) {
      const kind = kinds[entry] ?? 'other'
      const tokens = tokensOf(text)
      if (empty.test(text) || isOutput(entry, piece)) return 0
      const current = isCurrent(entries[entry]) ? 4 : 1
      // Words from the user are worth far more than those of others: each piece, and each token.
      if (kind === 'user') return current * (6 + 0.4 * tokens)
      // A long sentence says as much for its tokens as a short one.
      const size = Math.min(tokens, 60) / 4
      return wordWorth[kind] * size * current
    },
    ofName(name, entry, piece) {
      const { count, last, said } = usesOf.get(name) ?? { count: 1, last: 0, said: 0 }
      // Only output that was mentioned later mattered.
      if (isOutput(entry, piece) && (kinds[entry] === 'solved' || said <= entry)) return 0
      return Math.log2(1 + count) * (0.5 + last ** 2)
    },
  }
}

/** Kinds of entries of which all pieces but the first are output of a tool, or the lines of an edit. */
const printed: ReadonlySet<WordKind> = new Set<WordKind>(['tool', 'solved'])

/** Returns the file that a call names. */
function fileOf({ text }: TrailEntry): string {
  return /^(?:(?:add|update) )?(\S+)/.exec(text)?.[1] ?? ''
}

function numberOf(event: string): number {
  return Number(event.slice(1))
}

interface NameUses {
  readonly count: number
  /** Place of the last entry that uses it, from 0 to 1. */
  readonly last: number
  /** The last entry in which the user or the agent mentions it. */
  readonly said: number
}

function* countUses(
  entries: readonly TrailEntry[],
  bundle: ContextBundle,
): Steps<ReadonlyMap<string, NameUses>> {
  const uses = new Map<string, NameUses>()
  const use = (text: string, place: number, saidAt: number) => {
    for (const name of new Set(namesAndNumbers(text))) {
      const { count = 0, last = 0, said = -1 } = uses.get(name) ?? {}
      uses.set(name, { count: count + 1, last: Math.max(last, place), said: Math.max(said, saidAt) })
    }
  }
  for (const [at, entry] of entries.entries()) {
    use(entry.text, (at + 1) / entries.length, isWords(entry) ? at : -1)
    yield
  }
  for (const { action, command = '' } of bundle.nextSteps) use(`${action} ${command}`, 1, Infinity)
  return uses
}

type WordKind = keyof typeof wordWorth | 'user'

function kindOf({ label, text }: TrailEntry, next: TrailEntry | undefined): WordKind {
  if (label === 'user' || label === 'plan') return 'user'
  if (label === 'assistant') return next === undefined || next.label === 'user' ? 'answer' : 'chatter'
  if (isWords({ label })) return 'other'
  if (/^(?:task|\w*agent)$/i.test(label) && text.includes('\n')) return 'explanation'
  return / -> (?!ok$|unknown$)\S/m.test(text.slice(0, 400)) ? 'error' : 'tool'
}

/** An estimate for comparing pieces; only chosen ones are counted exactly. */
export const tokensOf = (text: string) => text.length / 3.6
