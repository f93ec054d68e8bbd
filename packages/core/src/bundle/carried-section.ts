import { shortLine } from '../session/short-line.ts'
import * as form from './item-forms.ts'
import type { ContextBundle } from './schema.ts'
import { type ListSection, listSection } from './section.ts'

type Carried = NonNullable<ContextBundle['carried']>[number]

const isRule = ({ as }: Carried) => as === 'constraint' || as === 'rule'
const isStep = ({ as }: Carried) => as === 'step'
const isChoice = ({ as }: Carried) => as === 'decision'
const textLine = ({ text }: Carried) => `- ${text}`

const short = (item: Carried): Carried => ({ ...item, text: shortLine(item.text, 140) })

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
