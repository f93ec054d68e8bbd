import { type BundleKind, bundleKinds } from './bundle-names.ts'
import * as form from './item-forms.ts'
import { formatText } from './item-line.ts'
import { listSection, optional, otherSection, type Section, textSection } from './section.ts'

// One constant for each section, so that a program that only renders briefs bundles only the sections that a brief
// shows.

export const summary = textSection('Summary', ['summary'])
export const nextSteps = listSection('Next steps', ['nextSteps'], form.nextStep)
export const resumeInstructions = textSection('Resume', ['resumeInstructions'])
export const constraints = listSection('Constraints', ['constraints'], form.statement)
export const projectRules = listSection('Project rules', ['projectRules'], form.projectRule)
export const decisions = listSection('Decisions', ['decisions'], form.decision)
export const openQuestions = listSection('Open questions', ['openQuestions'], form.statement)
export const blockers = listSection('Blockers', ['workflow', 'blockers'], form.statement)
export const tasksRemaining = listSection('Tasks remaining', ['workflow', 'tasksRemaining'], form.statement)
export const tasksCompleted = listSection('Tasks completed', ['workflow', 'tasksCompleted'], form.statement)
export const findings = listSection('Findings', ['findings'], form.statement)
const researchDecision = textSection('Research decision', ['research', 'decision'])
export const approach = textSection('Approach', ['plan', 'approach'])
export const steps = listSection('Steps', ['plan', 'steps'], form.step)
const risks = listSection('Risks', ['plan', 'risks'], form.statement)
const status = optional(otherSection('Status', ['progress', 'steps']))
export const currentState = textSection('Current state', ['progress', 'currentState'])
const completed = listSection('Completed', ['progress', 'completed'], form.doneItem)
export const inProgress = listSection('In progress', ['progress', 'inProgress'], form.openItem)
export const remaining = listSection('Remaining', ['progress', 'remaining'], form.openItem)
export const carried = optional(listSection('Carried over', ['carried'], form.carried))
export const validation = optional(listSection('Validation', ['validation'], form.validation))
export const commits = listSection('Commits', ['git', 'commits'], form.commit)
export const files = listSection('Files', ['files'], form.file)
export const errors = listSection('Errors', ['errors'], form.failure)
export const commands = listSection('Commands', ['commands'], form.command)
const identifiers = otherSection('Identifiers', ['identifiers'])
const trail = otherSection('Trail', ['trail'])
const usageByAgent = listSection('Usage by agent', ['usage', 'byAgent'], form.agentUsage)
const usageByModel = listSection('Usage by model', ['usage', 'byModel'], form.modelUsage)
const calls = listSection('Summarizer calls', ['compression', 'calls'], form.call)
const notes = listSection('Notes', ['notes'], form.note)

/**
 * All sections of a bundle, in the order of its Markdown, with their paths and the forms of their items. `trimRules`
 * defines how a section is trimmed, `brief-rules.ts` its lines in a brief, the schema its values.
 */
export const sections = {
  ...{ summary, nextSteps, resumeInstructions, constraints, projectRules, decisions, openQuestions },
  ...{ blockers, tasksRemaining, tasksCompleted, findings, researchDecision, approach, steps, risks, status },
  ...{ currentState, completed, inProgress, remaining, carried, validation, commits, files, errors },
  ...{ commands, identifiers, trail, usageByAgent, usageByModel, calls, notes },
}

export type SectionKey = keyof typeof sections

/**
 * The lists that a summarizer writes: the prefix of their statements' ids, the name of one statement, and where it
 * moves when it is done or answered: to another list, or `gone`. Without the third field, it cannot be done.
 */
export const statements = {
  nextSteps: ['n', 'next step', 'gone'],
  constraints: ['c', 'constraint'],
  decisions: ['d', 'decision'],
  openQuestions: ['q', 'open question', 'gone'],
  blockers: ['b', 'blocker', 'gone'],
  tasksRemaining: ['t', 'task remaining', 'tasksCompleted'],
  tasksCompleted: ['x', 'task completed'],
  findings: ['f', 'finding'],
  steps: ['s', 'plan step', 'tasksCompleted'],
  risks: ['k', 'plan risk', 'gone'],
  completed: ['pc', 'completed'],
  inProgress: ['pi', 'in progress', 'completed'],
  remaining: ['pr', 'remaining', 'completed'],
} as const satisfies {
  readonly [K in SectionKey]?: readonly [
    id: string,
    name: string,
    resolved?: 'tasksCompleted' | 'completed' | 'gone',
  ]
}

export type StatementKey = keyof typeof statements

export function isStatementKey(key: SectionKey): key is StatementKey {
  return key in statements
}

export const sectionEntries = Object.entries(sections) as [SectionKey, Section][]

export function itemLine(key: SectionKey, item: unknown): string {
  return lineOf(sections[key], item)
}

export function lineOf(section: Section, item: unknown): string {
  return section.type === 'list'
    ? form.writeItem(section.form, item as object)
    : formatText(String(item)).join('\n')
}

export function kindOf({ path: [first] }: Section): BundleKind | undefined {
  return bundleKinds.find((kind) => kind === first)
}
