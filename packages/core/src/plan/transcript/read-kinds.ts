/** How much room a kind of text gets in what a model reads, and how it is cut. */
interface ReadForm {
  /** Room compared to other kinds. Infinite: whole. */
  readonly weight: number
  /** A shorter piece says nothing: it is left out. @default 8 */
  readonly least?: number
  /** Minimum room: the line of a call, the verdict of an agent. */
  readonly shortest?: number
  /** Text of programs: what other texts repeat is left out, and its lines are scored by what they name. */
  readonly printed?: true
  /** Its lines can be read one by one. */
  readonly listed?: true
  /** Lines that say what failed count more. */
  readonly fails?: true
}

/**
 * What a text is to a reader who sums up the session. `whole` texts are never shortened: words of the user, what was
 * asked of them and answered, the last answer.
 */
const forms = {
  whole: { weight: Number.POSITIVE_INFINITY },
  question: { weight: Number.POSITIVE_INFINITY },
  answer: { weight: 30 },
  proposal: { weight: 30 },
  plan: { weight: 30 },
  chatter: { weight: 10 },
  // What binds in them is among the project rules.
  instructions: { weight: 8, printed: true },
  compaction: { weight: 8 },
  report: { weight: 6, shortest: 60, printed: true },
  pasted: { weight: 6, printed: true },
  line: { weight: 6, shortest: 24 },
  failure: { weight: 6, fails: true },
  document: { weight: 5, printed: true, listed: true },
  edit: { weight: 3, least: 16, printed: true, listed: true },
  task: { weight: 2, least: 12 },
  notice: { weight: 2, printed: true },
  check: { weight: 1.5, least: 12, printed: true, listed: true, fails: true },
  reasoning: { weight: 1.2, least: 40 },
  output: { weight: 1, least: 12, printed: true, listed: true },
  file: { weight: 0.8, least: 16, printed: true, listed: true },
  context: { weight: 0.6, least: 16, printed: true, listed: true },
} as const satisfies Record<string, ReadForm>

export type ReadKind = keyof typeof forms

export const readKinds: Readonly<Record<ReadKind, ReadForm>> = forms
