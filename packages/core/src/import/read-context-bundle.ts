import { bundleKinds } from '../bundle/bundle-names.ts'
import { type BundleFields, bundleFieldsSchema } from '../given/bundle-fields.ts'
import { fieldsOf } from '../session/json-values.ts'
import { known } from '../session/known.ts'
import { type ForeignBundle, notesOfLeft, timeOf } from './foreign-bundle.ts'
import { type TakenFields, takenFields } from './taken-fields.ts'

/** Whether a value is a context bundle as hooks write them: a session and what was done in it, in fields. */
export function isContextBundle(value: unknown): boolean {
  const record = fieldsOf(value)
  const has = (...names: string[]) => names.some((name) => Object.hasOwn(record, name))
  const isSession =
    has('session_id', 'sessionId', 'task_id', 'taskId') || has('created_at', 'createdAt', 'timestamp')
  return isSession && has(...tellingFields)
}

const tellingFields = [
  ...['workflow_state', 'workflowState', 'currentWork', 'current_work', 'files_read', 'filesRead'],
  ...[
    'resume_instructions',
    'resumeInstructions',
    'next_steps',
    'nextSteps',
    'context_version',
    'contextVersion',
  ],
]

/**
 * Reads a context bundle in JSON: `session_id`, `workflow_state`, `files_read`, `decisions`, `token_usage`,
 * `resume_instructions` and the like, in snake or camel case. What has no field goes to the notes.
 */
export function readContextBundle(value: unknown): ForeignBundle {
  const taken = takenFields(value)
  const state = taken.record('workflow_state', 'workflowState')
  const work = taken.record('currentWork', 'current_work')
  const type = taken.text('kind', 'type')
  const kind = bundleKinds.find((each) => each === type?.toLowerCase().replace(/[ _-]?bundle$/, ''))
  const summary = taken.text('summary')
  const progress = work?.text('progress') ?? taken.text('progress')
  const resume = taken.text('resume_instructions', 'resumeInstructions', 'resume_point', 'resumePoint')
  const at = taken.take('created_at', 'createdAt', 'timestamp')
  const target = work?.text('target')
  const current =
    state?.text('currentTask', 'current_task') ?? taken.text('currentTask', 'current_task') ?? target
  const fields: BundleFields = known({
    kind,
    createdAt: timeOf(at),
    sessionId: taken.text('session_id', 'sessionId'),
    task: taken.text('task', 'task_id', 'taskId') ?? target ?? (isTaskId(current) ? current : undefined),
    title: taken.text('title', 'name'),
    cwd: taken.text('cwd', 'working_directory', 'workingDirectory'),
    summary: summary ?? progress,
    phase:
      state?.text('phase') ??
      taken.text('phase') ??
      work?.text('type') ??
      (kind === undefined ? type : undefined),
    currentTask: current,
    tasksCompleted: statements(listOf('tasksCompleted', 'tasks_completed')),
    tasksRemaining: statements(listOf('tasksRemaining', 'tasks_remaining')),
    blockers: statements(listOf('blockers')),
    findings: statements(taken.list('findings', 'key_findings', 'keyFindings')),
    constraints: statements(taken.list('constraints')),
    openQuestions: statements([
      ...(work?.list('pendingDecisions', 'pending_decisions') ?? []),
      ...taken.list('pendingDecisions', 'pending_decisions'),
      ...taken.list('openQuestions', 'open_questions'),
    ]),
    decisions: decisionsOf(taken.list('decisions')),
    nextSteps: nextStepsOf(taken.list('next_steps', 'nextSteps')),
    resumeInstructions: lines(resume, summary === undefined ? undefined : progress),
    files: filesOf(taken),
    track: trackOf(taken),
    ...ownSections(taken),
  })
  const usage = usageText(taken)
  const badTime = at !== undefined && fields.createdAt === undefined ? [`time: ${String(at)}`] : []
  return { format: 'context-bundle', fields, notes: notesOfLeft([...usage, ...badTime, ...taken.left()]) }

  function listOf(...names: string[]): readonly unknown[] {
    return [...(state?.list(...names) ?? []), ...taken.list(...names)]
  }
}

/** `TASK-003`, unlike a sentence. */
function isTaskId(text = ''): boolean {
  return /^[A-Za-z]{1,20}-\d{1,9}$/.test(text)
}

/** A track's name becomes a folder; any other text stays for the notes. */
function trackOf(taken: TakenFields): string | undefined {
  return taken.own('track', bundleFieldsSchema.shape.track)
}

/** Sections that only our own form has, as it has them. */
function ownSections(taken: TakenFields): Partial<BundleFields> {
  const { plan, progress, research, validation, git } = bundleFieldsSchema.shape
  return known<Partial<BundleFields>>({
    plan: taken.own('plan', plan),
    progress: taken.own('progress', progress),
    research: taken.own('research', research),
    validation: taken.own('validation', validation),
    git: taken.own('git', git),
  })
}

function lines(...texts: (string | undefined)[]): string | undefined {
  return texts.filter((text) => text !== undefined).join('\n') || undefined
}

/** Texts as they are, and records by their own words; undefined if there are none. */
function statements(list: readonly unknown[]): { text: string }[] | undefined {
  const items = list.map((item) => ({ text: typeof item === 'string' ? item : statementOf(item) }))
  return items.length === 0 ? undefined : items
}

function statementOf(item: unknown): string {
  const taken = takenFields(item)
  const text = taken.text('text', 'title', 'description', 'finding', 'name', 'question', 'topic', 'id')
  const left = taken.left()
  if (text === undefined) return JSON.stringify(item)
  return left.length === 0 ? text : `${text} (${left.join(', ')})`
}

function decisionsOf(list: readonly unknown[]): BundleFields['decisions'] {
  const decisions = list.map((item) => {
    if (typeof item === 'string') return item
    const taken = takenFields(item)
    const topic = taken.text('topic', 'title')
    const choice = taken.text('choice', 'decision', 'description')
    const rationale = taken.text('rationale', 'reason', 'why')
    const at = timeOf(taken.take('timestamp', 'at', 'date'))
    const alternatives = taken
      .list('alternatives')
      .map((each) => (typeof each === 'string' ? each : statementOf(each)))
    const left = taken.left()
    const chosen = choice ?? topic ?? statementOf(item)
    return {
      choice: left.length === 0 ? chosen : `${chosen} (${left.join(', ')})`,
      ...known({ topic: choice === undefined ? undefined : topic, rationale, at }),
      alternatives,
    }
  })
  return decisions.length === 0 ? undefined : decisions
}

function nextStepsOf(list: readonly unknown[]): BundleFields['nextSteps'] {
  const steps = list.map((item) => {
    if (typeof item === 'string') return item
    const taken = takenFields(item)
    const command = taken.text('command', 'next_cmd', 'cmd')
    const action =
      taken.text('action', 'step', 'text', 'description', 'title') ?? command ?? statementOf(item)
    return { action, ...known({ command }) }
  })
  return steps.length === 0 ? undefined : steps
}

const statusOf: Readonly<Record<string, 'modified' | 'created' | 'named'>> = {
  files: 'named',
  files_modified: 'modified',
  filesModified: 'modified',
  files_changed: 'modified',
  files_created: 'created',
  filesCreated: 'created',
}

type GivenFile = Exclude<NonNullable<BundleFields['files']>[number], string>

function filesOf(taken: TakenFields): BundleFields['files'] {
  const read = taken.list('files_read', 'filesRead').map((item) => fileOf(item, 'read'))
  const others = Object.entries(statusOf).flatMap(([name, status]) =>
    taken.list(name).map((item) => fileOf(item, status)),
  )
  const files = [...read, ...others]
  return files.length === 0 ? undefined : files
}

/** `src/auth.ts (main changes)`: a path with a reason. */
function fileOf(item: unknown, status: NonNullable<GivenFile['status']>): GivenFile {
  if (typeof item === 'string') {
    const [, path = item, reason] = /^(\S+)\s+\((.+)\)$/.exec(item.trim()) ?? []
    return { path, status, ...known({ reason }) }
  }
  const taken = takenFields(item)
  const path = taken.text('path', 'file', 'name') ?? statementOf(item)
  const sections = taken.list('sections').filter((section) => typeof section === 'string')
  const [why, summary] = [taken.text('reason', 'why', 'change'), taken.text('summary', 'description')]
  const reason = [why, summary, ...taken.left()].filter((text) => text !== undefined).join('; ')
  return {
    path,
    status,
    ...known({ reason: reason || undefined, sections: sections.length > 0 ? sections : undefined }),
  }
}

/** Tokens without a split into input and output, which a bundle's usage has. */
function usageText(taken: TakenFields): string[] {
  const usage = taken.take('token_usage', 'tokenUsage')
  return usage === undefined ? [] : [`token usage: ${JSON.stringify(usage)}`]
}
