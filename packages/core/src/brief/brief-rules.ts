import { decision, file, nextStep, writeItem } from '../bundle/item-forms.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import type { ItemAt, ListSection, SectionPath, TextSection } from '../bundle/section.ts'
import * as section from '../bundle/sections.ts'
import { isChoice, isCode, isOpen, isRule, isStep, isTouched, ofAgent, ofUser } from '../bundle/sorts.ts'

/** Purpose of a block: to guide the next session, to bind it, or history. */
export type BriefPart = 'guide' | 'binding' | 'history'

/** The lines that a section, or some of its items, adds to a brief. Rules with the same title make one block. */
interface BriefRule<T> {
  /** @default 'history' */
  readonly part?: BriefPart
  /** @default the section's title */
  readonly title?: string
  /** Share of the brief, relative to other rules. @default 0.1 */
  readonly share?: number
  /** Tokens before any rule gets its share. @default 60 */
  readonly first?: number
  readonly only?: (item: T) => boolean
  /** The last items come first, and stay if there is no room for all; `ranked`: unless a model wrote them. */
  readonly newestFirst?: boolean | 'ranked'
  /** @default the item's line in the bundle */
  readonly line?: (item: T, bundle: ContextBundle) => string
  /** See {@link Block.inOrder}. */
  readonly inOrder?: boolean
  /** As of a block. */
  readonly kept?: boolean
}

export type SectionRule = BriefRule<never> & { readonly section: TextSection | ListSection }

function show<Path extends SectionPath>(
  of: TextSection<Path> | ListSection<Path>,
  rule: BriefRule<ItemAt<Path>> = {},
): SectionRule {
  return { section: of, ...rule }
}

/** What a brief shows of the sections of a bundle, in the order in which a smaller limit keeps it. */
export const beforeLastWords: readonly SectionRule[] = [
  show(section.nextSteps, { part: 'guide', share: 0.3, first: 300, line: stepLine }),
  show(section.inProgress, { part: 'guide', title: 'Remaining' }),
  show(section.remaining, { part: 'guide' }),
  show(section.tasksRemaining, { part: 'guide', title: 'Remaining' }),
  show(section.carried, {
    part: 'guide',
    title: 'Open steps of earlier sessions',
    only: isStep,
    share: 0.12,
    newestFirst: true,
    line: ({ text: action, command }) => stepLine({ action, command, evidence: [] }),
  }),
]

/** The sections after the last words of the user. */
export const afterLastWords: readonly SectionRule[] = [
  show(section.validation, { part: 'guide', share: 0.05, first: 120, line: validationLine }),
  show(section.constraints, { part: 'binding', share: 0.4, first: 400, newestFirst: true, kept: true }),
  show(section.carried, {
    part: 'binding',
    title: 'Constraints of earlier sessions',
    only: isRule,
    share: 0.3,
    first: 200,
    newestFirst: true,
    kept: true,
    line: textLine,
  }),
  show(section.openQuestions, { part: 'guide', first: 200 }),
  show(section.decisions, {
    part: 'binding',
    title: 'Decisions of the user',
    only: ofUser,
    share: 0.2,
    first: 200,
    newestFirst: true,
    line: untimedDecision,
  }),
  show(section.resumeInstructions, { part: 'guide', title: 'How to resume' }),
  show(section.summary, { share: 0.12, first: 45 }),
  show(section.blockers, { title: 'Open points' }),
  show(section.errors, { title: 'Open errors', only: isOpen, share: 0.16, first: 100, newestFirst: true }),
  show(section.projectRules, {
    title: 'Project rules, quoted',
    only: ({ source }) => !isCode(source),
    share: 0.2,
    first: 100,
  }),
  show(section.decisions, {
    only: ofAgent,
    share: 0.12,
    first: 100,
    newestFirst: true,
    line: untimedDecision,
  }),
  show(section.carried, {
    title: 'Decisions of earlier sessions',
    only: isChoice,
    newestFirst: true,
    line: textLine,
  }),
  show(section.currentState),
  show(section.approach, { share: 0.2 }),
  show(section.steps, { share: 0.15 }),
  show(section.tasksCompleted, { share: 0.05, first: 0, newestFirst: true }),
  show(section.commits, { share: 0.08, first: 0, newestFirst: true }),
  show(section.files, {
    title: 'Files changed',
    only: isTouched,
    share: 0.2,
    newestFirst: true,
    line: fileLine,
    inOrder: true,
  }),
  show(section.findings, { share: 0.12, newestFirst: 'ranked' }),
  show(section.commands, { share: 0.1, newestFirst: true }),
  // Whoever edits the file reads its comments there.
  show(section.projectRules, {
    title: 'Comments of the code',
    only: ({ source }) => isCode(source),
    first: 0,
  }),
]

/** Returns the line of a step, without a command that its text contains. */
export function stepLine({ command, ...step }: ContextBundle['nextSteps'][number]): string {
  const isNew = command && !step.action.endsWith(command) && !step.action.includes(`\`${command}\``)
  return writeItem(nextStep, isNew ? { ...step, command } : step)
}

function textLine({ text }: { readonly text: string }): string {
  return `- ${text}`
}

/** The events of a decision show its time. */
function untimedDecision({ at: _, ...item }: ContextBundle['decisions'][number]): string {
  return writeItem(decision, item)
}

/** The definitions of a file are on a separate line, which a small brief leaves out. */
function fileLine({ defines, ...item }: ContextBundle['files'][number]): string {
  const line = writeItem(file, item)
  return defines === undefined ? line : `${line}\n> defines ${defines.join(', ')}`
}

/** Returns the line of the last check, with the last edit before it, or the first after it. */
function validationLine(
  { status, result, command, evidence }: NonNullable<ContextBundle['validation']>,
  { files }: ContextBundle,
): string {
  const numberOf = (events: readonly string[]) => Number(events.at(-1)?.slice(1) ?? 0)
  const at = numberOf(evidence)
  const edits = files.filter(isTouched)
  const since = edits.find((edit) => numberOf(edit.evidence) > at)
  const before = edits.findLast((edit) => numberOf(edit.evidence) < at)
  const [word, edit] = status === 'stale' ? ['before', since] : ['after', before]
  const place = edit && at > 0 ? `, ${word} ${edit.path} was edited` : ''
  const was = result === undefined ? '' : ` (was ${result})`
  return `- ${status}${was}${command === undefined ? '' : `: ${command}`}${place}${evidence.length === 0 ? '' : ` [${evidence.join(' ')}]`}`
}
