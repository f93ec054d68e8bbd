import type { ContextBundle } from '../bundle/schema.ts'
import type { ItemAt } from '../bundle/section.ts'
import type { SectionKey, sections } from '../bundle/sections.ts'
import { isChoice, isOpen, isRule, isStep, isTouched, ofAgent, ofUser } from '../bundle/sorts.ts'
import { shortLine } from '../session/short-line.ts'
import { shortCommand } from './short-command.ts'

/** How a list, or its items of one kind, is shortened to fit the budget. */
export interface TrimRule<T> {
  /** Rank by importance: lists with a higher rank are shortened first. */
  readonly rank: number
  /** Name in the note on what was left out. @default the section's title in lower case */
  readonly name?: string
  readonly only?: (item: T) => boolean
  /** Maximum share of the whole budget; may depend on its tokens. */
  readonly share: number | ((tokens: number) => number)
  /** Which items stay if there is no room for all. */
  readonly keeps: 'first' | 'last'
  /** True if the first items stay if a model wrote them, with the most important first. @default false */
  readonly ranked?: boolean
  /** Number of items that get room before any list gets its `least`. @default 0 */
  readonly first?: number
  /**
   * Number of items that get room, in their short form, before a more important list gets more than its own `least`.
   * @default 0
   */
  readonly least?: number
  /** Returns a shorter form of an item if not all fit in full, because many short items are better than a few long ones. */
  readonly short?: (item: T) => object
}

type File = ContextBundle['files'][number]
type BundleError = ContextBundle['errors'][number]
type Decision = ContextBundle['decisions'][number]

// Scratch folders of Linux, macOS and Windows, whose content is gone by the next session.
const isScratch = ({ path }: File) =>
  /^(?:\/private)?\/(?:tmp|var\/folders)\/|\/AppData\/Local\/Temp\//.test(path)

const withoutReason = ({ reason, sections, defines, ...file }: File) => file

const shortError = (error: BundleError) => ({
  ...error,
  message: shortLine(error.message, isOpen(error) ? 110 : 90),
})

// The choice stays whole before time and reason, which the events also contain.
const shortDecision = ({ topic, choice, rationale, at: _, ...decision }: Decision) => ({
  ...decision,
  ...(topic === undefined ? {} : { topic: shortLine(topic, 100) }),
  choice: shortLine(choice, 200),
  ...(rationale === undefined || choice.length + rationale.length > 240 ? {} : { rationale }),
  alternatives: [],
})

const shortText =
  (length: number) =>
  <T extends { readonly text: string }>(item: T): T => ({ ...item, text: shortLine(item.text, length) })

const ofDecisions = { share: 0.12, keeps: 'last', short: shortDecision } as const

type Rules = { readonly [K in SectionKey]?: readonly TrimRule<ItemAt<(typeof sections)[K]['path']>>[] }

/** How each list is trimmed. Calls are summed instead. */
export const trimRules: Rules = {
  nextSteps: [{ rank: 10, share: 0.15, keeps: 'first', first: 6 }],
  constraints: [{ rank: 20, share: 0.45, keeps: 'last', first: 12 }],
  projectRules: [
    {
      rank: 125,
      // A small bundle needs its room for the session itself.
      share: (tokens) => Math.min(0.14, Math.max(0.02, (tokens - 2500) / 17_000)),
      keeps: 'first',
      short: shortText(200),
    },
  ],
  decisions: [
    { ...ofDecisions, rank: 28, name: 'decisions of the user', only: ofUser, first: 6 },
    { ...ofDecisions, rank: 100, name: 'decisions of the agent', only: ofAgent, least: 3 },
  ],
  openQuestions: [{ rank: 25, share: 0.1, keeps: 'last', first: 6 }],
  blockers: [{ rank: 50, share: 0.05, keeps: 'last' }],
  tasksRemaining: [{ rank: 60, share: 0.1, keeps: 'first' }],
  tasksCompleted: [{ rank: 131, share: 0.05, keeps: 'last' }],
  findings: [{ rank: 150, share: 0.08, keeps: 'last', ranked: true, short: shortText(140) }],
  steps: [{ rank: 70, share: 0.15, keeps: 'first' }],
  risks: [{ rank: 120, share: 0.06, keeps: 'first' }],
  completed: [{ rank: 133, share: 0.06, keeps: 'last' }],
  inProgress: [{ rank: 80, share: 0.1, keeps: 'first' }],
  remaining: [{ rank: 90, share: 0.1, keeps: 'first' }],
  carried: [
    { rank: 12, name: 'carried steps', only: isStep, share: 0.1, keeps: 'last', short: shortText(140) },
    { rank: 22, name: 'carried rules', only: isRule, share: 0.2, keeps: 'last', least: 3 },
    {
      rank: 102,
      name: 'carried decisions',
      only: isChoice,
      share: 0.05,
      keeps: 'last',
      short: shortText(140),
    },
  ],
  validation: [{ rank: 15, share: 1, keeps: 'last', first: 1 }],
  commits: [
    {
      rank: 140,
      share: 0.05,
      keeps: 'last',
      short: ({ subject, ...commit }) =>
        subject === undefined ? commit : { ...commit, subject: shortLine(subject, 60) },
    },
  ],
  files: [
    {
      rank: 40,
      name: 'files changed',
      only: (file) => isTouched(file) && !isScratch(file),
      share: 0.25,
      keeps: 'last',
      least: 8,
      short: withoutReason,
    },
    {
      rank: 132,
      name: 'files read',
      only: (file) => file.status === 'read' && !isScratch(file),
      share: 0.1,
      keeps: 'last',
      short: withoutReason,
    },
    {
      rank: 190,
      name: 'files named',
      only: (file) => file.status === 'named' && !isScratch(file),
      share: 0.06,
      keeps: 'last',
      least: 4,
      short: withoutReason,
    },
    { rank: 210, name: 'scratch files', only: isScratch, share: 0.02, keeps: 'last' },
  ],
  errors: [
    {
      rank: 30,
      name: 'open errors',
      only: isOpen,
      share: 0.12,
      keeps: 'last',
      first: 1,
      least: 6,
      short: shortError,
    },
    {
      rank: 200,
      name: 'solved errors',
      only: (error) => !isOpen(error),
      share: 0.1,
      keeps: 'last',
      least: 3,
      short: shortError,
    },
  ],
  commands: [
    {
      rank: 130,
      share: 0.12,
      keeps: 'last',
      least: 6,
      short: (command) => ({ ...command, command: shortCommand(command.command) }),
    },
  ],
  usageByAgent: [{ rank: 145, share: 0.03, keeps: 'first' }],
  usageByModel: [{ rank: 146, share: 0.02, keeps: 'first' }],
  notes: [{ rank: 240, share: 0.03, keeps: 'first', least: 2 }],
}

/** Maximum share of a text in a bundle. */
const textShares: { readonly [K in SectionKey]?: number } = {
  resumeInstructions: 0.05,
  researchDecision: 0.1,
  approach: 0.25,
  currentState: 0.08,
}

/** Returns the share of the section `key`. The summary needs more in a small bundle, or its sentences are cut to scraps. */
export function textShare(key: SectionKey, tokens: number): number {
  return textShares[key] ?? Math.min(0.15, Math.max(tokens < 1200 ? 0.1 : 0.08, tokens / 20_000))
}
