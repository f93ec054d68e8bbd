import type { EventId } from '../session/event.ts'
import { fieldsOf } from '../session/json-values.ts'
import { type ToolUse, textAt } from '../tools/tool-uses.ts'
import type { TaskFact } from './facts.ts'

interface TaskList {
  /** By id; by position if the list has no ids. */
  tasks: Map<string, TaskFact>
  changed: number
}

/**
 * Extracts the task list at the end: the main agent's, otherwise the one written last. Knows lists that are written
 * whole (TodoWrite, update_plan and the like) and tasks that are created and updated one by one.
 */
export function extractTasks(uses: readonly ToolUse[]): TaskFact[] {
  const lists = new Map<string, TaskList>()
  for (const [index, use] of uses.entries()) {
    if (use.call.inContext === false || (use.outcome !== 'ok' && use.outcome !== 'unknown')) continue
    const { agent, id, name } = use.call
    const known = lists.get(agent)
    const tasks =
      name === 'TaskCreate'
        ? createTask(known?.tasks, use)
        : name === 'TaskUpdate'
          ? updateTask(known?.tasks, use)
          : wholeList(known?.tasks, use.call.name, use.call.input, id)
    if (tasks !== undefined) lists.set(agent, { tasks, changed: index })
  }
  const latest = [...lists.values()].sort((a, b) => b.changed - a.changed)[0]
  return [...((lists.get('main') ?? latest)?.tasks.values() ?? [])]
}

function createTask(known: TaskList['tasks'] | undefined, use: ToolUse): TaskList['tasks'] | undefined {
  const text = textAt(use.call.input, 'subject', 'title', 'description')
  if (text === undefined) return undefined
  const tasks = new Map(known)
  const id =
    /\bTask #?([\w-]+) created/i.exec(use.result?.text.slice(0, 500) ?? '')?.[1] ?? String(tasks.size + 1)
  return tasks.set(id, { text: text.trim(), status: 'pending', event: use.call.id })
}

function updateTask(known: TaskList['tasks'] | undefined, use: ToolUse): TaskList['tasks'] | undefined {
  const input = fieldsOf(use.call.input)
  const id = String(input.taskId ?? input.id ?? '').replace(/^#/, '')
  const old = known?.get(id)
  if (known === undefined || old === undefined) return undefined
  const tasks = new Map(known)
  if (input.status === 'deleted') {
    tasks.delete(id)
    return tasks
  }
  const text = textAt(input, 'subject') ?? old.text
  const status = input.status === undefined ? old.status : taskStatus(input.status)
  return tasks.set(id, { text, status, event: use.call.id, listed: old.listed ?? old.event })
}

function wholeList(
  known: TaskList['tasks'] | undefined,
  name: string,
  input: unknown,
  event: EventId,
): TaskList['tasks'] | undefined {
  if (!/todo|plan/i.test(name)) return undefined
  const record = fieldsOf(input)
  const list = [record.todos, record.plan, record.todoList, record.items, record.tasks].find(Array.isArray)
  if (list === undefined) return undefined
  const before = new Map([...(known?.values() ?? [])].map((task) => [task.text, task.listed ?? task.event]))
  const tasks = list.flatMap((item: unknown): TaskFact[] => {
    const text = textAt(item, 'content', 'step', 'description', 'title', 'subject', 'text', 'task')?.trim()
    if (text === undefined) return []
    const listed = before.get(text)
    const status = taskStatus(fieldsOf(item).status)
    return [{ text, status, event, ...(listed === undefined ? {} : { listed }) }]
  })
  if (tasks.length === 0 && list.length > 0) return undefined
  return new Map(tasks.map((task, index) => [String(index + 1), task]))
}

function taskStatus(status: unknown): TaskFact['status'] {
  const word = typeof status === 'string' ? status.toLowerCase().replace(/[\s-]/g, '_') : ''
  if (/^(?:completed?|done|finished|closed)$/.test(word)) return 'completed'
  if (/^(?:in_progress|inprogress|doing|active|started|running)$/.test(word)) return 'in_progress'
  return /^(?:cancell?ed|deleted|skipped|abandoned|wont_do)$/.test(word) ? 'cancelled' : 'pending'
}
