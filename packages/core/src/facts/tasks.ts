import { type EventId, eventIndex, type SessionEvent } from '../session/event.ts'
import * as json from '../session/json.ts'
import type { Steps } from '../session/pauses.ts'
import { type ToolUse, textAt } from '../tools/tool-uses.ts'
import type { TaskFact } from './facts.ts'

interface TaskList {
  /** By id; by position if the list has no ids. */
  tasks: Map<string, TaskFact>
  /** The event that changed it last. */
  changed: number
}

/**
 * Extracts the task list at the end: the main agent's, otherwise the one written last. Supports lists that are written
 * whole (TodoWrite, update_plan, check lists in Markdown and the like), also among the arguments of other calls, and
 * tasks that are created and updated one by one. Can pause at each call.
 */
export function* taskSteps(events: readonly SessionEvent[], uses: readonly ToolUse[]): Steps<TaskFact[]> {
  const lists = new Map<string, TaskList>()
  for (const use of uses) {
    const { agent, id, inContext } = use.call
    if (inContext === false) continue
    yield
    const known = lists.get(agent)?.tasks
    const tasks = changedBy(use, known)
    if (tasks !== undefined) lists.set(agent, { tasks: keepListed(tasks, known), changed: eventIndex(id) })
  }
  const shown = shownList(events)
  const own = lists.get('main')
  if (shown !== undefined && shown.changed > (own?.changed ?? -1)) lists.set('main', shown)
  const latest = [...lists.values()].sort((a, b) => b.changed - a.changed)[0]
  return [...((lists.get('main') ?? latest)?.tasks.values() ?? [])]
}

/** Returns the task list after a call; `undefined` if the call does not change it. */
function changedBy(use: ToolUse, known: TaskList['tasks'] | undefined): TaskList['tasks'] | undefined {
  const { name, input, id } = use.call
  if (use.outcome !== 'ok' && use.outcome !== 'unknown') return listBesides(input, id)
  if (creations.has(name)) return createTask(known, use)
  if (updates.has(name)) return updateTask(known, use)
  return wholeList(name, input, id) ?? listBesides(input, id)
}

const creations = new Set(['TaskCreate', 'tracker_create_task'])
const updates = new Set(['TaskUpdate', 'tracker_update_task'])

/** Keeps the call that first listed a task, if a list that is written whole repeats it. */
function keepListed(tasks: TaskList['tasks'], known: TaskList['tasks'] | undefined): TaskList['tasks'] {
  if (known === undefined) return tasks
  const listed = new Map([...known.values()].map((task) => [task.text, task.listed ?? task.event]))
  const since = (task: TaskFact) => listed.get(task.text) ?? task.event
  return new Map(
    [...tasks].map(([id, task]) => [
      id,
      since(task) === task.event ? task : { ...task, listed: since(task) },
    ]),
  )
}

/** Cline passes its check list along with any call, whatever the outcome. */
function listBesides(input: unknown, event: EventId): TaskList['tasks'] | undefined {
  return named(readCheckList(json.fields(input).task_progress, event))
}

function shownList(events: readonly SessionEvent[]): TaskList | undefined {
  const shown = events.findLast(
    (event) => event.type === 'context' && event.name === 'task_progress' && event.agent === 'main',
  )
  const tasks = shown?.type === 'context' ? named(readCheckList(shown.text, shown.id)) : undefined
  return tasks === undefined || shown === undefined ? undefined : { tasks, changed: eventIndex(shown.id) }
}

/** Returns tasks by position; `undefined` if there are none. */
function named(tasks: readonly TaskFact[]): TaskList['tasks'] | undefined {
  return tasks.length === 0 ? undefined : new Map(tasks.map((task, index) => [String(index + 1), task]))
}

function createTask(known: TaskList['tasks'] | undefined, use: ToolUse): TaskList['tasks'] | undefined {
  const text = textAt(use.call.input, 'subject', 'title', 'description')
  if (text === undefined) return undefined
  const tasks = new Map(known)
  const [, before, after] = createdId.exec(use.result?.text.slice(0, 500) ?? '') ?? []
  const id = before ?? after ?? String(tasks.size + 1)
  return tasks.set(id, { text: text.trim(), status: 'pending', event: use.call.id })
}

/** `Task #4 created`, `Created task ab12cd: …` */
const createdId = /\bTask #?([\w-]{1,60}) created|\bCreated task ([\w-]{1,60}):/i

function updateTask(known: TaskList['tasks'] | undefined, use: ToolUse): TaskList['tasks'] | undefined {
  const input = json.fields(use.call.input)
  const id = String(input.taskId ?? input.id ?? '').replace(/^#/, '')
  const old = known?.get(id)
  if (known === undefined || old === undefined) return undefined
  const tasks = new Map(known)
  if (input.status === 'deleted') {
    tasks.delete(id)
    return tasks
  }
  const text = textAt(input, 'subject', 'title') ?? old.text
  const status = input.status === undefined ? old.status : taskStatus(input.status)
  return tasks.set(id, { text, status, event: use.call.id, listed: old.listed ?? old.event })
}

function wholeList(name: string, input: unknown, event: EventId): TaskList['tasks'] | undefined {
  if (!/todo|plan|task_?track|^checklist$/i.test(name)) return undefined
  const record = json.fields(input)
  if (record.command === 'view') return undefined
  const { todos, plan, todoList, items, tasks: given, task_list: tracked, content, checklist } = record
  const list = [todos, plan, todoList, items, given, tracked].find(Array.isArray)
  // A plan in prose may contain check boxes that nobody ticks.
  if (list === undefined)
    return named([todos, todoList, content, checklist].flatMap((value) => readCheckList(value, event)))
  const tasks = list.flatMap((item: unknown): TaskFact[] => {
    const text = textAt(item, 'content', 'step', 'description', 'title', 'subject', 'text', 'task')
    return text === undefined
      ? []
      : [{ text: text.trim(), status: taskStatus(json.fields(item).status), event }]
  })
  return list.length === 0 ? new Map() : named(tasks)
}

/**
 * Reads a task list in text form, one task per line: `- [x] built`, `[-] tests`, `2. [in_progress] docs`. Returns
 * nothing if the text has no such line.
 */
function readCheckList(text: unknown, event: EventId): TaskFact[] {
  if (typeof text !== 'string' || !text.includes('[')) return []
  return text.split('\n').flatMap((line): TaskFact[] => {
    const [, mark, task] = checkLine.exec(line) ?? []
    return task === undefined ? [] : [{ text: task.trim(), status: taskStatus(mark), event }]
  })
}

const checkLine =
  /^\s{0,20}(?:[-*+]\s{1,4}|\d{1,3}[.)]\s{1,4})?\[(\s{1,12}|[xX✓✔~/>-]|[Pp]ending|[Tt]odo|[Oo]pen|[Ii]n[ _-][Pp]rogress|[Cc]ompleted?|[Dd]one|[Cc]ancell?ed)\]\s{1,4}(\S.{0,500})/

/** Returns the status of a task from an agent's word for it; an unknown word is `pending`. */
function taskStatus(status: unknown): TaskFact['status'] {
  const word = typeof status === 'string' ? status.trim().toLowerCase().replace(/[\s-]/g, '_') : ''
  if (/^(?:completed?|done|finished|closed|[x✓✔])$/.test(word)) return 'completed'
  if (/^(?:in_?progress|doing|active|started|running|[_~/>])$/.test(word)) return 'in_progress'
  return /^(?:cancell?ed|deleted|skipped|abandoned|wont_do)$/.test(word) ? 'cancelled' : 'pending'
}
