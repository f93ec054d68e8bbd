import type { ReadKind } from './transcript/read-kinds.ts'

/** How a trail, and a model that reads the session, get to see a kind of text. */
interface PartForm {
  /** Under one budget a part may have at most `weight x level` tokens. */
  readonly weight: number
  /** With fewer tokens the part is useless and is left out. */
  readonly least: number
  /** Minimum room of a part that is shown at all: a path and a mark, a message with the names in it. */
  readonly shortest?: number
  /** Words of the user come first; everything else follows one level. @default 'rest' */
  readonly level?: 'words' | 'lastWords'
  /** Reports the current state: it gets up to three times the room near the end of the session. */
  readonly fades?: true
  /** Prose in which something said only once gets more room. */
  readonly unique?: true
  /** What counts in its sentences. */
  readonly scores?: 'failure' | 'prose'
  /** What it is to a model. */
  readonly read: ReadKind
  /** A text of programs in which lines repeat. */
  readonly folds?: true
}

const words = { weight: 1, least: 8, level: 'words', read: 'whole' } as const
const prose = { least: 16, fades: true, unique: true, scores: 'prose' } as const
const printed = { least: 16, fades: true } as const

/**
 * Kinds of the parts of an excerpt; `line` parts say what a tool call did, `*-body` parts are its input or output. Their order follows
 * published measurements: user messages, answers, failures, one line per call, and only then tool output.
 */
const forms = {
  'last-user': { ...words, weight: 6, level: 'lastWords' },
  user: { ...words, unique: true },
  question: { ...words, read: 'question' },
  plan: { ...words, least: 16, read: 'plan' },
  'last-answer': { weight: 50, least: 8, scores: 'prose', read: 'whole' },
  proposal: { weight: 30, least: 16, read: 'proposal' },
  pasted: { weight: 60, least: 16, read: 'pasted', folds: true },
  answer: { ...prose, weight: 30, read: 'answer' },
  compaction: { weight: 6, least: 40, read: 'compaction' },
  'agent-report': { weight: 4, least: 12, unique: true, scores: 'prose', read: 'report' },
  'error-body': {
    ...printed,
    weight: 12,
    least: 10,
    shortest: 24,
    unique: true,
    scores: 'failure',
    read: 'failure',
  },
  line: { weight: 7, least: 9, shortest: 16, read: 'line' },
  chatter: { ...prose, weight: 2.5, least: 20, read: 'chatter' },
  'check-body': { ...printed, weight: 1.2, least: 12, scores: 'failure', read: 'check' },
  'agent-task': { weight: 1, least: 12, read: 'task' },
  'edit-body': { ...printed, weight: 0.8, read: 'edit' },
  'output-body': { ...printed, weight: 0.5, read: 'output', folds: true },
  reasoning: { ...printed, weight: 0.4, read: 'reasoning' },
  'search-body': { ...printed, weight: 0.3, read: 'file' },
  context: { weight: 0.2, least: 16, read: 'context', folds: true },
} as const satisfies Record<string, PartForm>

export type PartKind = keyof typeof forms

export const partKinds: Readonly<Record<PartKind, PartForm>> = forms
