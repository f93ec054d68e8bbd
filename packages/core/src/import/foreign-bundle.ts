import { createHash } from 'node:crypto'
import type { Redactor } from '@tenfold/redact'
import { bundleKinds } from '../bundle/bundle-names.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { type BundleFields, bundleFieldsSchema } from '../given/bundle-fields.ts'
import { completeBundle } from '../given/complete-bundle.ts'
import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import { notesOfLeft, plainName, type TakenFields, takenFields, timeOf } from './taken-fields.ts'

export interface ForeignBundle {
  readonly format: 'context-bundle' | 'markdown-bundle'
  readonly fields: BundleFields
  readonly notes: readonly Note[]
}

interface CompleteForeignOptions {
  readonly document: Uint8Array
  /** When the document was last changed: used as the time of a bundle without one. */
  readonly changed: Date
  /** Used if the document names none. @default 'main' */
  readonly track?: string | undefined
  readonly task?: string | undefined
  readonly redactors?: readonly Redactor[] | undefined
}

/**
 * Makes a complete bundle from one in a foreign format, with its own time. The same document always gives the same
 * bundle, so that importing it again adds nothing.
 */
export function completeForeign(
  { format, fields, notes }: ForeignBundle,
  { document, changed, track, task, redactors }: CompleteForeignOptions,
): ContextBundle {
  const message = 'the document says no time; it is that of the last change of its file'
  const time = fields.createdAt === undefined ? [{ code: 'time-of-file', message }] : []
  const whole = { ...fields, ...known({ track: track ?? fields.track, task: fields.task ?? task }) }
  return completeBundle(whole, {
    source: { format, document },
    notes: [...notes, ...time],
    now: changed,
    random: () => digitsOf(document),
    ...known({ redactors }),
  })
}

/** Derives a number from 0 to 1 from the bytes. */
export function digitsOf(bytes: Uint8Array): number {
  return createHash('sha256').update(bytes).digest().readUInt32BE() / 2 ** 32
}

/** Whether a value is a context bundle as hooks write them: fields about a session and its work. */
export function isContextBundle(value: unknown): boolean {
  const names = new Set(Object.keys(json.fields(value)).map(plainName))
  const has = (wanted: readonly string[]) => wanted.some((name) => names.has(name))
  return has(['sessionid', 'taskid', 'createdat', 'timestamp']) && has(telling)
}

const telling = 'workflowstate currentwork filesread resumeinstructions nextsteps contextversion'.split(' ')

const lists = {
  tasksCompleted: 'tasksCompleted',
  tasksRemaining: 'tasksRemaining',
  blockers: 'blockers',
  findings: 'findings keyFindings',
  constraints: 'constraints',
  openQuestions: 'pendingDecisions openQuestions',
}

const fileLists = {
  filesRead: 'read',
  files: 'named',
  filesModified: 'modified',
  filesChanged: 'modified',
  filesCreated: 'created',
} as const

/** Fields of our own format, which are taken unchanged. The track is among them because its name becomes a folder. */
const ownFields = ['track', 'plan', 'progress', 'research', 'validation', 'git'] as const

export function readContextBundle(value: unknown, format: ForeignBundle['format'] = 'context-bundle') {
  const taken = takenFields(value)
  const state = taken.record('workflowState')
  const work = taken.record('currentWork')
  const type = taken.text('kind type')
  const kind = bundleKinds.find((each) => each === type?.toLowerCase().replace(/[ _-]?bundle$/, ''))
  const summary = taken.text('summary')
  const progress = work?.text('progress') ?? taken.text('progress')
  const resume = taken.text('resumeInstructions resumePoint')
  const at = taken.take('createdAt timestamp created date')
  const target = work?.text('target')
  const current = state?.text('currentTask') ?? taken.text('currentTask') ?? target
  // An id such as `TASK-003`, not a sentence.
  const currentId = /^[A-Za-z]{1,20}-\d{1,9}$/.test(current ?? '') ? current : undefined
  const usage = taken.take('tokenUsage')
  const phase = state?.text('phase') ?? taken.text('phase') ?? work?.text('type')
  // Lists about the work may also be in the record of its state.
  const itemsOf = (names: string) =>
    [state, work, taken].flatMap((each) => names.split(' ').flatMap((name) => each?.list(name) ?? []))
  const fields: BundleFields = known({
    kind,
    createdAt: timeOf(at),
    task: taken.text('task taskId') ?? target ?? currentId,
    summary: summary ?? progress,
    phase: phase ?? (kind === undefined ? type : undefined),
    currentTask: current,
    ...taken.texts({ sessionId: 'sessionId session', title: 'title name', cwd: 'cwd workingDirectory' }),
    ...Object.fromEntries(
      Object.entries(lists).map(([field, names]) => [field, nonEmpty(itemsOf(names).map(wordsOf))]),
    ),
    decisions: nonEmpty(taken.list('decisions').map(decisionOf)),
    nextSteps: nonEmpty(taken.list('nextSteps').map(nextStepOf)),
    resumeInstructions: nonEmpty([resume, summary && progress].filter(Boolean))?.join('\n'),
    files: nonEmpty(
      Object.entries(fileLists).flatMap(([name, status]) =>
        taken.list(name).map((item) => fileOf(item, status)),
      ),
    ),
    ...Object.fromEntries(
      ownFields.map((name) => [name, taken.own<unknown>(name, bundleFieldsSchema.shape[name])]),
    ),
  })
  const left = [
    // A bundle's usage is split into input and output, which a plain number is not.
    ...(usage === undefined ? [] : [`token usage: ${JSON.stringify(usage)}`]),
    ...(at !== undefined && fields.createdAt === undefined ? [`time: ${String(at)}`] : []),
    ...taken.left(),
  ]
  return { format, fields, notes: notesOfLeft(left) }
}

function nonEmpty<T>(list: readonly T[]): T[] | undefined {
  return list.length === 0 ? undefined : [...list]
}

function wordsOf(item: unknown): string {
  if (typeof item === 'string') return item
  const taken = takenFields(item)
  const text = taken.text('text title description finding name question topic id')
  return text === undefined ? JSON.stringify(item) : withLeft(text, taken)
}

function withLeft(text: string, taken: TakenFields): string {
  const left = taken.left()
  return left.length === 0 ? text : `${text} (${left.join(', ')})`
}

function decisionOf(item: unknown): NonNullable<BundleFields['decisions']>[number] {
  if (typeof item === 'string') return item
  const taken = takenFields(item)
  const { choice, rationale, topic } = taken.texts({
    topic: 'topic title',
    choice: 'choice decision description',
    rationale: 'rationale reason why',
  })
  const at = timeOf(taken.take('timestamp at date'))
  const alternatives = taken.list('alternatives').map(wordsOf)
  return {
    choice: withLeft(choice ?? topic ?? wordsOf(item), taken),
    ...known({ topic: choice === undefined ? undefined : topic, rationale, at }),
    alternatives,
  }
}

function nextStepOf(item: unknown): NonNullable<BundleFields['nextSteps']>[number] {
  if (typeof item === 'string') return item
  const taken = takenFields(item)
  const command = taken.text('command nextCmd cmd')
  const action = taken.text('action step text description title') ?? command ?? wordsOf(item)
  return { action, ...known({ command }) }
}

type GivenFile = Exclude<NonNullable<BundleFields['files']>[number], string>

/** Splits `src/auth.ts (main changes)` or `src/auth.ts: main changes` into path and reason. */
function fileOf(item: unknown, status: NonNullable<GivenFile['status']>): GivenFile {
  if (typeof item === 'string') {
    const [, path = item, inBrackets, after] =
      /^(`[^`]+`|\S+?)(?:\s+\((.+)\)|(?::|\s+[-–—])\s+(.+))?$/.exec(item.trim()) ?? []
    return { path: path.replace(/^`(.*)`$/, '$1'), status, ...known({ reason: inBrackets ?? after }) }
  }
  const taken = takenFields(item)
  const path = taken.text('path file name') ?? wordsOf(item)
  const sections = nonEmpty(taken.list('sections').filter((section) => typeof section === 'string'))
  const about = [taken.text('reason why change'), taken.text('summary description'), ...taken.left()]
  return { path, status, ...known({ reason: json.texts(about).join('; ') || undefined, sections }) }
}
