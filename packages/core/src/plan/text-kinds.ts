/** How much room a kind of text gets in a trail, and how it is cut. */
interface TrailForm {
  /** A text may have at most `weight x level` tokens; the level depends on the budget. */
  readonly weight: number
  /** With fewer tokens the text is useless and is left out. */
  readonly least: number
  /** Minimum tokens of a text that is shown: a path and a mark, or a message with its names. */
  readonly shortest?: number
  /** Words of the user have their own levels, which are filled first. @default 'rest' */
  readonly level?: 'words' | 'lastWords'
  /** The current state matters most: such a text gets up to three times the room near the end of the session. */
  readonly fades?: true
  /** A text with unique content gets more room. */
  readonly unique?: true
  /** Sentences score more than code. */
  readonly prose?: true
}

/** How much room a kind of text gets in what a model reads, and how it is cut. */
interface ReadForm {
  /** Room relative to other kinds. Infinity: never cut. */
  readonly weight: number
  /** Shorter pieces are left out as useless. @default 8 */
  readonly least?: number
  /** Minimum tokens: the line of a call, the verdict of an agent. */
  readonly shortest?: number
  /** Text printed by programs: parts that other texts repeat are left out, and lines are scored by their names. */
  readonly printed?: true
  /** Each line makes sense alone. */
  readonly listed?: true
}

interface Kind {
  readonly trail: TrailForm
  readonly read: ReadForm
  /** Lines about a failure score more. */
  readonly fails?: true
  /** Text of programs with repeated lines, which a model reads folded. */
  readonly folds?: true
  /** Input or output of a call; if repeated, the trail does not even refer to it. */
  readonly body?: true
}

const words = { weight: 1, least: 8, level: 'words' } as const
const prose = { least: 16, fades: true, unique: true, prose: true } as const
const printed = { least: 16, fades: true } as const
const lines = { printed: true, listed: true } as const
const file = { body: true, folds: true, trail: { ...printed, weight: 0.3 } } as const
const context = { ...lines, weight: 0.6, least: 16 } as const
/** Never shortened for a model: words of the user, questions to the user and their answers, the last answer. */
const whole = { weight: Number.POSITIVE_INFINITY } as const

/**
 * Kinds of texts of a session. The order of their weights follows published measurements: user messages, answers,
 * failures, one line per call, and only then tool output.
 */
const kinds = {
  'last-user': { trail: { ...words, weight: 6, level: 'lastWords' }, read: whole },
  user: { trail: { ...words, unique: true }, read: whole },
  question: { trail: words, read: whole },
  plan: { trail: { ...words, least: 16 }, read: { weight: 30 } },
  'last-answer': { trail: { weight: 50, least: 8, prose: true }, read: whole },
  proposal: { trail: { weight: 30, least: 16 }, read: { weight: 30 } },
  pasted: { folds: true, trail: { weight: 60, least: 16 }, read: { weight: 6, printed: true } },
  answer: { trail: { ...prose, weight: 30 }, read: { weight: 30 } },
  compaction: { trail: { weight: 30, least: 40, prose: true }, read: { weight: 8 } },
  report: {
    trail: { weight: 4, least: 12, unique: true, prose: true },
    read: { weight: 6, shortest: 60, printed: true },
  },
  failure: {
    fails: true,
    folds: true,
    body: true,
    trail: { ...printed, weight: 12, least: 10, shortest: 24, unique: true },
    read: { weight: 6 },
  },
  line: { trail: { weight: 7, least: 9, shortest: 16 }, read: { weight: 6, shortest: 24 } },
  chatter: { trail: { ...prose, weight: 2.5, least: 20 }, read: { weight: 10 } },
  check: {
    fails: true,
    folds: true,
    body: true,
    trail: { ...printed, weight: 1.2, least: 12 },
    read: { ...lines, weight: 1.5, least: 12 },
  },
  task: { trail: { weight: 1, least: 12 }, read: { weight: 2, least: 12 } },
  edit: { body: true, trail: { ...printed, weight: 0.8 }, read: { ...lines, weight: 3, least: 16 } },
  /** What a hook or a linter printed about an edit; a trail shows none of it. */
  notice: { ...file, read: { weight: 2, printed: true } },
  output: {
    body: true,
    folds: true,
    trail: { ...printed, weight: 0.5 },
    read: { ...lines, weight: 1, least: 12 },
  },
  reasoning: { trail: { ...printed, weight: 0.4 }, read: { weight: 1.2, least: 40 } },
  file: { ...file, read: { ...lines, weight: 0.8, least: 16 } },
  document: { ...file, read: { ...lines, weight: 5 } },
  // The binding parts are among the project rules.
  instructions: { ...file, read: { weight: 8, printed: true } },
  context: { folds: true, trail: { weight: 0.2, least: 16 }, read: context },
  /** A skill or command of the harness. */
  skill: { ...file, read: context },
} as const satisfies Record<string, Kind>

export type TextKind = keyof typeof kinds

export const textKinds: Readonly<Record<TextKind, Kind>> = kinds
