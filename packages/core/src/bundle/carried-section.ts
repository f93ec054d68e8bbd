import { known } from '../session/known.ts'
import { shortLine } from '../session/short-line.ts'
import * as form from './item-forms.ts'
import type { ContextBundle } from './schema.ts'
import { type ListSection, listSection } from './section.ts'
import { saysNothingOpen, toolMark } from './session-summary.ts'

type Carried = NonNullable<ContextBundle['carried']>[number]

const isRule = ({ as }: Carried) => as === 'constraint' || as === 'rule'
const isStep = ({ as }: Carried) => as === 'step'
const isChoice = ({ as }: Carried) => as === 'decision'
const textLine = ({ text }: Carried) => `- ${text}`

const short = (item: Carried): Carried => ({ ...item, text: shortLine(item.text, 140) })

/** The items with the last first; those carried from one session stay in its order. */
export function lastFirst<T>(items: readonly T[]): T[] {
  const from = (item: T | undefined) => (item as Partial<Carried> | undefined)?.from
  const runs: T[][] = []
  for (const item of items) {
    const run = runs.at(-1)
    if (run !== undefined && from(item) !== undefined && from(run[0]) === from(item)) run.push(item)
    else runs.push([item])
  }
  return runs.reverse().flat()
}

/**
 * Returns a bundle with the steps to go on with: if its session left nothing open, those that the newest earlier session
 * left. What only tools said is none.
 */
export function withStepsLeft(bundle: ContextBundle): ContextBundle {
  const { nextSteps, carried = [] } = bundle
  const steps = carried.filter((item) => isStep(item) && !item.text.includes(toolMark))
  const left = steps.filter(({ from }) => from === steps.at(-1)?.from)
  if (left.length === 0 || !nextSteps.every(saysNothingOpen)) return bundle
  return {
    ...bundle,
    nextSteps: left.map(({ text, command }) => ({ action: text, ...known({ command }), evidence: [] })),
    carried: carried.filter((item) => !left.includes(item)),
  }
}

/** Statements of earlier bundles; only a bundle that has some has the section. */
export const carriedSection: ListSection = {
  ...listSection('Carried over', ['carried'], form.carried, {
    trim: [
      { rank: 12, name: 'carried steps', only: isStep, share: 0.1, keeps: 'last', short },
      { rank: 22, name: 'carried rules', only: isRule, share: 0.2, keeps: 'last', least: 3 },
      { rank: 102, name: 'carried decisions', only: isChoice, share: 0.05, keeps: 'last', short },
    ],
    brief: [
      {
        rank: 15,
        part: 'guide',
        title: 'Open steps of earlier sessions',
        only: isStep,
        share: 0.12,
        newestFirst: true,
        line: ({ text, command }) => `- ${text}${command === undefined ? '' : ` | run: ${command}`}`,
      },
      {
        rank: 41,
        part: 'binding',
        title: 'Constraints of earlier sessions',
        only: isRule,
        share: 0.3,
        first: 200,
        newestFirst: true,
        line: textLine,
      },
      {
        rank: 65,
        title: 'Decisions of earlier sessions',
        only: isChoice,
        share: 0.08,
        newestFirst: true,
        line: textLine,
      },
    ],
  }),
  empty: undefined,
  write: ({ carried }) => form.formatCarried(carried),
  read: form.parseCarried,
}
