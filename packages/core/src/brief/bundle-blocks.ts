import { formatText } from '../bundle/markdown-items.ts'
import { itemLine } from '../bundle/markdown-sections.ts'
import { formatTrailEntry } from '../bundle/markdown-trail.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { type Block, block } from './fit-blocks.ts'

/** Current knowledge about the files of a bundle: marks that follow the line of a path. */
export type FileMarks = ReadonlyMap<string, string>

/** Returns the blocks of a bundle's brief: what to do first, what binds, the current state, then the rest. */
export function bundleBlocks(bundle: ContextBundle, marks: FileMarks = new Map()): Block[] {
  const { workflow, progress, plan } = bundle
  const list = (title: string, items: readonly unknown[] = []) => items.map((item) => itemLine(title, item))
  const files = (items: ContextBundle['files']) =>
    items.toReversed().map((file) => `${itemLine('Files', file)}${marks.get(file.path) ?? ''}`)
  const users = bundle.trail.filter((entry) => entry.label === 'user' && entry.agent === 'main')
  const remaining = [
    ...list('In progress', progress?.inProgress),
    ...list('Remaining', progress?.remaining),
    ...list('Tasks remaining', workflow.tasksRemaining),
  ]
  return [
    block('State', 0.05, bundle.state === undefined ? [] : [`- ${stateWords[bundle.state]}`]),
    block('Next steps', 0.2, list('Next steps', bundle.nextSteps)),
    block('Resume', 0.1, [textOf(bundle.resumeInstructions)]),
    block(
      'Last words of the user',
      0.2,
      users.slice(-1).map((entry) => formatTrailEntry(entry).join('\n')),
    ),
    block('Constraints', 0.25, list('Constraints', bundle.constraints.toReversed())),
    block('Validation', 0.05, bundle.validation ? [validationLine(bundle.validation)] : []),
    block('Summary', 0.2, [textOf(bundle.summary)]),
    block('Current state', 0.1, [textOf(progress?.currentState ?? '')]),
    block('Approach', 0.2, [textOf(plan?.approach ?? '')]),
    block('Steps', 0.15, list('Steps', plan?.steps)),
    block('Remaining', 0.1, remaining),
    block('Blockers', 0.1, list('Blockers', workflow.blockers)),
    block(
      'Open errors',
      0.1,
      list('Errors', bundle.errors.filter((error) => error.resolution === undefined).toReversed()),
    ),
    block(
      'Files changed',
      0.2,
      files(bundle.files.filter(({ status }) => status !== 'read' && status !== 'named')),
    ),
    block('Decisions', 0.18, list('Decisions', bundle.decisions.toReversed())),
    block('Findings', 0.12, list('Findings', bundle.findings.toReversed())),
    block('Open questions', 0.1, list('Open questions', bundle.openQuestions)),
    block('Commands', 0.1, list('Commands', bundle.commands.toReversed())),
    block('Files read', 0.08, files(bundle.files.filter((file) => file.status === 'read'))),
  ]
}

/** The state of a session at the end of its log, for a person or an agent that continues it. */
export const stateWords: Readonly<Record<NonNullable<ContextBundle['state']>, string>> = {
  finished: 'finished: the last request was answered',
  waiting: 'waiting for the user',
  'in-progress': 'in progress: open work remains',
  interrupted: 'interrupted before the last request was answered',
  failed: 'failed: it ended with an error, or the agent gave up',
}

/** Escapes lines that would read as headings. */
function textOf(text: string): string {
  return formatText(text).join('\n')
}

function validationLine({
  status,
  result,
  command,
  evidence,
}: NonNullable<ContextBundle['validation']>): string {
  const was = result === undefined ? '' : ` (was ${result}; files were edited since)`
  return `- ${status}${was}${command === undefined ? '' : `: ${command}`}${evidence.length === 0 ? '' : ` [${evidence.join(' ')}]`}`
}
