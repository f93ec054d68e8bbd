import { bundleKinds } from '../bundle/bundle-names.ts'
import { type BundleFields, bundleFieldsSchema } from '../given/bundle-fields.ts'
import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import { type ForeignBundle, notesOfLeft, timeOf } from './foreign-bundle.ts'
import { plainName, type TakenFields, takenFields } from './taken-fields.ts'

/** Whether a value is a context bundle as hooks write them: a session and what was done in it, in fields. */
export function isContextBundle(value: unknown): boolean {
  const names = new Set(Object.keys(json.fields(value)).map(plainName))
  const has = (wanted: readonly string[]) => wanted.some((name) => names.has(name))
  return has(['sessionid', 'taskid', 'createdat', 'timestamp']) && has(tellingNames)
}

const tellingNames = [
  ...['workflowstate', 'currentwork', 'filesread', 'resumeinstructions', 'nextsteps', 'contextversion'],
]

/** Our fields that are texts, and the names that they have elsewhere, in any spelling. */
const texts = {
  sessionId: ['sessionId', 'session'],
  title: ['title', 'name'],
  cwd: ['cwd', 'workingDirectory'],
} as const

/** Our lists of statements. Those of the work may be in the record of its state, too. */
const lists = {
  tasksCompleted: ['tasksCompleted'],
  tasksRemaining: ['tasksRemaining'],
  blockers: ['blockers'],
  findings: ['findings', 'keyFindings'],
  constraints: ['constraints'],
  openQuestions: ['pendingDecisions', 'openQuestions'],
} as const

/** Lists of files, and what was done to those in them. */
const fileLists = {
  filesRead: 'read',
  files: 'named',
  filesModified: 'modified',
  filesChanged: 'modified',
  filesCreated: 'created',
} as const

/** Fields that only our own form has, as it has them. A track's name becomes a folder. */
const ownFields = ['track', 'plan', 'progress', 'research', 'validation', 'git'] as const

/** Reads a context bundle in JSON, or the same fields of one in Markdown. What has no field goes to the notes. */
export function readContextBundle(
  value: unknown,
  format: ForeignBundle['format'] = 'context-bundle',
): ForeignBundle {
  const taken = takenFields(value)
  const state = taken.record('workflowState')
  const work = taken.record('currentWork')
  const type = taken.text('kind', 'type')
  const kind = bundleKinds.find((each) => each === type?.toLowerCase().replace(/[ _-]?bundle$/, ''))
  const summary = taken.text('summary')
  const progress = work?.text('progress') ?? taken.text('progress')
  const resume = taken.text('resumeInstructions', 'resumePoint')
  const at = taken.take('createdAt', 'timestamp', 'created', 'date')
  const target = work?.text('target')
  const current = state?.text('currentTask') ?? taken.text('currentTask') ?? target
  // `TASK-003`, unlike a sentence.
  const currentId = /^[A-Za-z]{1,20}-\d{1,9}$/.test(current ?? '') ? current : undefined
  const usage = taken.take('tokenUsage')
  const fields: BundleFields = known({
    kind,
    createdAt: timeOf(at),
    task: taken.text('task', 'taskId') ?? target ?? currentId,
    summary: summary ?? progress,
    phase:
      state?.text('phase') ??
      taken.text('phase') ??
      work?.text('type') ??
      (kind === undefined ? type : undefined),
    currentTask: current,
    ...byField(texts, (names) => taken.text(...names)),
    ...byField(lists, (names) => {
      const items = [state, work, taken].flatMap((each) => names.flatMap((name) => each?.list(name) ?? []))
      return nonEmpty(items.map((item) => (typeof item === 'string' ? item : statementOf(item))))
    }),
    decisions: nonEmpty(taken.list('decisions').map(decisionOf)),
    nextSteps: nonEmpty(taken.list('nextSteps').map(nextStepOf)),
    resumeInstructions: nonEmpty([resume, summary && progress].filter(Boolean))?.join('\n'),
    files: nonEmpty(
      Object.entries(fileLists).flatMap(([name, status]) =>
        taken.list(name).map((item) => fileOf(item, status)),
      ),
    ),
    ...Object.fromEntries(ownFields.map((name) => [name, ownField(taken, name)])),
  })
  const left = [
    // A bundle's usage is split into input and output.
    ...(usage === undefined ? [] : [`token usage: ${JSON.stringify(usage)}`]),
    ...(at !== undefined && fields.createdAt === undefined ? [`time: ${String(at)}`] : []),
    ...taken.left(),
  ]
  return { format, fields, notes: notesOfLeft(left) }
}

function byField<K extends string, T>(
  table: Readonly<Record<K, readonly string[]>>,
  read: (names: readonly string[]) => T,
): Record<K, T> {
  const entries = Object.entries<readonly string[]>(table).map(([field, names]) => [field, read(names)])
  return Object.fromEntries(entries) as Record<K, T>
}

function ownField(taken: TakenFields, name: (typeof ownFields)[number]): unknown {
  return taken.own<unknown>(name, bundleFieldsSchema.shape[name])
}

function nonEmpty<T>(list: readonly T[]): T[] | undefined {
  return list.length === 0 ? undefined : [...list]
}

/** The words of a record. */
function statementOf(item: unknown): string {
  const taken = takenFields(item)
  const text = taken.text('text', 'title', 'description', 'finding', 'name', 'question', 'topic', 'id')
  return text === undefined ? JSON.stringify(item) : withLeft(text, taken)
}

function withLeft(text: string, taken: TakenFields): string {
  const left = taken.left()
  return left.length === 0 ? text : `${text} (${left.join(', ')})`
}

function decisionOf(item: unknown): NonNullable<BundleFields['decisions']>[number] {
  if (typeof item === 'string') return item
  const taken = takenFields(item)
  const topic = taken.text('topic', 'title')
  const choice = taken.text('choice', 'decision', 'description')
  const rationale = taken.text('rationale', 'reason', 'why')
  const at = timeOf(taken.take('timestamp', 'at', 'date'))
  const others = taken.list('alternatives')
  return {
    choice: withLeft(choice ?? topic ?? statementOf(item), taken),
    ...known({ topic: choice === undefined ? undefined : topic, rationale, at }),
    alternatives: others.map((each) => (typeof each === 'string' ? each : statementOf(each))),
  }
}

function nextStepOf(item: unknown): NonNullable<BundleFields['nextSteps']>[number] {
  if (typeof item === 'string') return item
  const taken = takenFields(item)
  const command = taken.text('command', 'nextCmd', 'cmd')
  const action = taken.text('action', 'step', 'text', 'description', 'title') ?? command ?? statementOf(item)
  return { action, ...known({ command }) }
}

type GivenFile = Exclude<NonNullable<BundleFields['files']>[number], string>

/** `src/auth.ts (main changes)`, or `src/auth.ts: main changes`: a path with a reason. */
function fileOf(item: unknown, status: NonNullable<GivenFile['status']>): GivenFile {
  if (typeof item === 'string') {
    const [, path = item, inBrackets, after] =
      /^(`[^`]+`|\S+?)(?:\s+\((.+)\)|(?::|\s+[-–—])\s+(.+))?$/.exec(item.trim()) ?? []
    return { path: path.replace(/^`(.*)`$/, '$1'), status, ...known({ reason: inBrackets ?? after }) }
  }
  const taken = takenFields(item)
  const path = taken.text('path', 'file', 'name') ?? statementOf(item)
  const sections = nonEmpty(taken.list('sections').filter((section) => typeof section === 'string'))
  const [why, summary] = [taken.text('reason', 'why', 'change'), taken.text('summary', 'description')]
  const reason = [why, summary, ...taken.left()].filter((text) => text !== undefined).join('; ')
  return { path, status, ...known({ reason: reason || undefined, sections }) }
}
