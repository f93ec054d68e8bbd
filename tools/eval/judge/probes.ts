import type { Gold } from '../gold/load-gold.ts'

const probeKinds = ['recall', 'artifact', 'continuation', 'decision', 'constraint', 'abstention'] as const
export type ProbeKind = (typeof probeKinds)[number]

/** A question about a session, with what a right answer says, for the judge alone. */
export interface Probe {
  readonly kind: ProbeKind
  readonly question: string
  readonly evidence: string
}

/**
 * The questions about a labelled session; what has no label is not asked. `other` is a session of another topic: what
 * was decided there never happened here.
 */
export function probesOf(gold: Gold, other: Gold | undefined): Probe[] {
  const { constraints, decisions, openProblems, solvedProblems, files, uncommitted, resume } = gold
  const binding = constraints.filter(({ status }) => status === 'holds').map(({ quote }) => quote)
  const foreign = other?.decisions.find(({ choice }) => decisions.every((own) => own.choice !== choice))
  return [
    probe(
      'recall',
      'Which problems are open at the end of the session, which errors were solved on the way, and in which state is the work?',
      [
        ['open', openProblems.map(({ text }) => text)],
        ['solved', solvedProblems.map(({ quote }) => quote)],
        ['state', [gold.state]],
      ],
    ),
    probe('artifact', 'Which files matter for going on, and which changes are not committed?', [
      ['files', files.map(({ path }) => path)],
      ['not committed', uncommitted],
    ]),
    probe(
      'continuation',
      'You take the work over now. What do you do first, with which exact command, and what must you not do again?',
      [
        ['right', [resume.action, resume.command, ...resume.alsoRight]],
        ['wrong', resume.wrong],
      ],
    ),
    ...(decisions.length === 0
      ? []
      : [
          probe('decision', 'Which decisions were made, by the user or by the agent?', [
            ['decisions', decisions.map(({ choice, by }) => (by === '' ? choice : `${choice} (${by})`))],
          ]),
        ]),
    ...(binding.length === 0
      ? []
      : [
          probe('constraint', 'What does the user demand or forbid that binds you from now on? Quote it.', [
            ['binding', binding],
            ['not binding', gold.notConstraints.map(({ quote }) => quote)],
          ]),
        ]),
    ...(foreign === undefined
      ? []
      : [
          probe('abstention', `When and why was this decided in the session: "${foreign.choice}"?`, [
            ['right', ['The session does not decide this; a right answer says that it is not known.']],
          ]),
        ]),
  ]
}

function probe(
  kind: ProbeKind,
  question: string,
  parts: readonly (readonly [string, readonly string[]])[],
): Probe {
  const lines = parts.flatMap(([name, texts]) => {
    const known = texts.filter((text) => text !== '')
    return known.length === 0
      ? [`${name}: none`]
      : known.map((text) => `${name}: ${text.replace(/\s+/g, ' ')}`)
  })
  return { kind, question, evidence: lines.join('\n') }
}
