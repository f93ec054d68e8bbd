import { shortLine } from '../session/short-line.ts'
import { type BundleKind, bundleKinds } from './bundle-names.ts'
import { carriedSection } from './carried-section.ts'
import * as form from './item-forms.ts'
import { formatItem, formatText } from './markdown-items.ts'
import { formatTrail, parseTrail } from './markdown-trail.ts'
import {
  listSection,
  optionalSection,
  otherSection,
  type Section,
  singleSection,
  statementSection,
  textSection,
} from './section.ts'
import {
  isOpen,
  isScratch,
  isTouched,
  ofAgent,
  ofUser,
  shortCommand,
  shortDecision,
  shortError,
  untimedDecision,
  validationLine,
  withoutReason,
} from './sorts.ts'

const ofDecisions = { share: 0.12, keeps: 'last', short: shortDecision } as const

/** Share for the summary: in a small bundle its sentences need more, or they are cut to scraps. */
const summaryShare = (tokens: number) => Math.min(0.15, Math.max(tokens < 1200 ? 0.1 : 0.08, tokens / 20_000))

/**
 * All sections of a bundle, in the order of its Markdown: where each is in the bundle, how it is written and read, how
 * it is trimmed, and its lines in a brief. Its values are in the schema; everything else about a section is here.
 */
export const sections = {
  summary: textSection('Summary', ['summary'], summaryShare, [{ rank: 12, share: 0.12, first: 80 }]),
  nextSteps: statementSection('Next steps', ['nextSteps'], form.nextStep, ['n', 'next step', 'gone'], {
    trim: [{ rank: 10, share: 0.15, keeps: 'first', first: 6 }],
    brief: [{ rank: 10, part: 'guide', share: 0.3, first: 300 }],
  }),
  resumeInstructions: textSection('Resume', ['resumeInstructions'], 0.05, [
    { rank: 58, part: 'guide', share: 0.1 },
  ]),
  constraints: statementSection('Constraints', ['constraints'], form.statement, ['c', 'constraint'], {
    trim: [{ rank: 20, share: 0.45, keeps: 'last', first: 12 }],
    brief: [{ rank: 40, part: 'binding', share: 0.4, first: 400, newestFirst: true }],
  }),
  projectRules: listSection('Project rules', ['projectRules'], form.projectRule, {
    trim: [
      {
        rank: 125,
        // A small bundle needs its room for what the session itself said.
        share: (tokens) => Math.min(0.14, Math.max(0.02, (tokens - 2500) / 17_000)),
        keeps: 'first',
        short: (rule) => ({ ...rule, text: shortLine(rule.text, 200) }),
      },
    ],
    brief: [{ rank: 62, title: 'Project rules (quoted from what was read)', share: 0.1, first: 100 }],
  }),
  decisions: statementSection('Decisions', ['decisions'], form.decision, ['d', 'decision'], {
    trim: [
      { ...ofDecisions, rank: 28, name: 'decisions of the user', only: ofUser, first: 6 },
      { ...ofDecisions, rank: 100, name: 'decisions of the agent', only: ofAgent, least: 3 },
    ],
    brief: [
      {
        rank: 50,
        part: 'binding',
        title: 'Decisions of the user',
        only: ofUser,
        share: 0.2,
        first: 200,
        newestFirst: true,
        line: untimedDecision,
      },
      { rank: 63, only: ofAgent, share: 0.12, first: 100, newestFirst: true, line: untimedDecision },
    ],
  }),
  openQuestions: statementSection(
    'Open questions',
    ['openQuestions'],
    form.statement,
    ['q', 'open question', 'gone'],
    {
      trim: [{ rank: 25, share: 0.1, keeps: 'last', first: 6 }],
      brief: [{ rank: 45, part: 'guide', share: 0.1, first: 200 }],
    },
  ),
  blockers: statementSection('Blockers', ['workflow', 'blockers'], form.statement, ['b', 'blocker', 'gone'], {
    trim: [{ rank: 50, share: 0.05, keeps: 'last' }],
    brief: [{ rank: 55, share: 0.1 }],
  }),
  tasksRemaining: statementSection(
    'Tasks remaining',
    ['workflow', 'tasksRemaining'],
    form.statement,
    ['t', 'task remaining', 'tasksCompleted'],
    {
      trim: [{ rank: 60, share: 0.1, keeps: 'first' }],
      brief: [{ rank: 112, title: 'Remaining', share: 0.1 }],
    },
  ),
  tasksCompleted: statementSection(
    'Tasks completed',
    ['workflow', 'tasksCompleted'],
    form.statement,
    ['x', 'task completed'],
    {
      trim: [{ rank: 131, share: 0.05, keeps: 'last' }],
      brief: [{ rank: 130, share: 0.05, first: 0, newestFirst: true }],
    },
  ),
  findings: statementSection('Findings', ['findings'], form.statement, ['f', 'finding'], {
    trim: [
      {
        rank: 150,
        share: 0.08,
        keeps: 'last',
        ranked: true,
        short: (item) => ({ ...item, text: shortLine(item.text, 140) }),
      },
    ],
    brief: [{ rank: 160, share: 0.12, newestFirst: true, ranked: true }],
  }),
  researchDecision: textSection('Research decision', ['research', 'decision'], 0.1),
  approach: textSection('Approach', ['plan', 'approach'], 0.25, [{ rank: 80, share: 0.2 }]),
  steps: statementSection('Steps', ['plan', 'steps'], form.step, ['s', 'plan step', 'tasksCompleted'], {
    trim: [{ rank: 70, share: 0.15, keeps: 'first' }],
    brief: [{ rank: 90, share: 0.15 }],
  }),
  risks: statementSection('Risks', ['plan', 'risks'], form.statement, ['k', 'plan risk', 'gone'], {
    trim: [{ rank: 120, share: 0.06, keeps: 'first' }],
  }),
  status: optionalSection('Status', ['progress', 'steps'], form.formatSteps, form.parseSteps),
  currentState: textSection('Current state', ['progress', 'currentState'], 0.08, [{ rank: 70, share: 0.1 }]),
  completed: statementSection('Completed', ['progress', 'completed'], form.doneItem, ['pc', 'completed'], {
    trim: [{ rank: 133, share: 0.06, keeps: 'last' }],
  }),
  inProgress: statementSection(
    'In progress',
    ['progress', 'inProgress'],
    form.openItem,
    ['pi', 'in progress', 'completed'],
    {
      trim: [{ rank: 80, share: 0.1, keeps: 'first' }],
      brief: [{ rank: 110, title: 'Remaining', share: 0.1 }],
    },
  ),
  remaining: statementSection(
    'Remaining',
    ['progress', 'remaining'],
    form.openItem,
    ['pr', 'remaining', 'completed'],
    {
      trim: [{ rank: 90, share: 0.1, keeps: 'first' }],
      brief: [{ rank: 111, share: 0.1 }],
    },
  ),
  carried: carriedSection,
  validation: singleSection('Validation', ['validation'], form.validation, {
    trim: [{ rank: 15, share: 1, keeps: 'last', first: 1 }],
    brief: [{ rank: 35, part: 'guide', share: 0.05, first: 120, line: validationLine }],
  }),
  commits: listSection('Commits', ['git', 'commits'], form.commit, {
    trim: [
      {
        rank: 140,
        share: 0.05,
        keeps: 'last',
        short: ({ subject, ...commit }) =>
          subject === undefined ? commit : { ...commit, subject: shortLine(subject, 60) },
      },
    ],
    brief: [{ rank: 135, share: 0.08, first: 0, newestFirst: true }],
  }),
  files: listSection('Files', ['files'], form.file, {
    trim: [
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
    brief: [
      { rank: 140, title: 'Files changed', only: isTouched, share: 0.2, newestFirst: true },
      {
        rank: 190,
        title: 'Files read',
        only: ({ status }) => status === 'read',
        share: 0.05,
        newestFirst: true,
      },
    ],
  }),
  errors: listSection('Errors', ['errors'], form.failure, {
    trim: [
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
    brief: [{ rank: 61, title: 'Open errors', only: isOpen, share: 0.16, first: 100, newestFirst: true }],
  }),
  commands: listSection('Commands', ['commands'], form.command, {
    trim: [
      {
        rank: 130,
        share: 0.12,
        keeps: 'last',
        least: 6,
        short: (command) => ({ ...command, command: shortCommand(command.command) }),
      },
    ],
    brief: [{ rank: 180, share: 0.1, newestFirst: true }],
  }),
  identifiers: otherSection('Identifiers', ['identifiers'], form.formatIdentifiers, form.parseIdentifiers),
  trail: otherSection('Trail', ['trail'], formatTrail, parseTrail),
  usageByAgent: listSection('Usage by agent', ['usage', 'byAgent'], form.agentUsage, {
    trim: [{ rank: 145, share: 0.03, keeps: 'first' }],
    brief: [{ rank: 201, title: 'Usage', share: 0.02, first: 0 }],
  }),
  usageByModel: listSection('Usage by model', ['usage', 'byModel'], form.modelUsage, {
    trim: [{ rank: 146, share: 0.02, keeps: 'first' }],
    brief: [{ rank: 202, title: 'Usage', share: 0.02, first: 0 }],
  }),
  calls: listSection('Summarizer calls', ['compression', 'calls'], form.call),
  notes: listSection('Notes', ['notes'], form.note, {
    trim: [{ rank: 240, share: 0.03, keeps: 'first', least: 2 }],
  }),
}

export type SectionKey = keyof typeof sections

/** Keys of the lists that a summarizer writes. */
export type StatementKey = {
  [K in SectionKey]: (typeof sections)[K] extends { readonly statement: object } ? K : never
}[SectionKey]

/** The sections of a bundle with their keys, in the order of its Markdown. */
export const sectionEntries = Object.entries(sections) as [SectionKey, Section][]

/** Returns the line of an item of a list. */
export function itemLine(key: SectionKey, item: unknown): string {
  return lineOf(sections[key], item)
}

/** Returns the line of an item of a section. */
export function lineOf(section: Section, item: unknown): string {
  return section.type === 'list'
    ? formatItem(section.item(item as never))
    : formatText(String(item)).join('\n')
}

/** Returns the kind of bundles that alone have a section; undefined if all have it. */
export function kindOf({ path: [first] }: Section): BundleKind | undefined {
  return bundleKinds.find((kind) => kind === first)
}
