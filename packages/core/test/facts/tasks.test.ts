import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { makeSession, toolCall } from '../support/session.ts'

const tasksOf = (drafts: EventDraft[]) =>
  extractFacts(makeSession(drafts)).tasks.map(({ text, status, event }) => `${status} ${text} ${event}`)
const todos = (id: string, ...list: [string, string][]) =>
  toolCall(id, 'TodoWrite', {
    todos: list.map(([content, status]) => ({ content, status, activeForm: content })),
  })

describe('tasks', () => {
  it('are those of the last list', () => {
    const drafts = [...todos('1', ['a', 'pending']), ...todos('2', ['a', 'completed'], ['b', 'in_progress'])]
    expect(tasksOf(drafts)).toEqual(['completed a e3', 'in_progress b e3'])
    expect(tasksOf([...drafts, ...todos('3')])).toEqual([])
  })

  it('are read from plans of Codex', () => {
    const plan = [
      { step: 'a', status: 'completed' },
      { step: 'b', status: 'pending' },
    ]
    expect(tasksOf(toolCall('1', 'update_plan', { plan }))).toEqual(['completed a e1', 'pending b e1'])
  })

  it('are read from the tracker of OpenHands, but not from a call that only views it', () => {
    const list = [
      { title: 'a', notes: 'first', status: 'done' },
      { title: 'b', notes: '', status: 'todo' },
    ]
    const drafts = [
      ...toolCall('1', 'task_tracker', { command: 'plan', task_list: list }),
      ...toolCall('2', 'task_tracker', { command: 'view', task_list: [] }),
    ]
    expect(tasksOf(drafts)).toEqual(['completed a e1', 'pending b e1'])
  })

  it.each([
    ['todo__todo_write', { content: '# Work\n- [x] a\n  - [ ] b\n* [~] c' }],
    ['update_todo_list', { todos: '[x] a\n[ ] b\n[-] c' }],
    ['TodoWrite', { todos: '1. [completed] a\n2. [pending] b\n3. [in_progress] c' }],
    ['update_todo', { todos: '- [X] a\n- [ ] b\n- [>] c' }],
  ])('are read from the text that %s writes', (name, input) => {
    expect(tasksOf(toolCall('1', name, input))).toEqual([
      'completed a e1',
      'pending b e1',
      'in_progress c e1',
    ])
  })

  it('are not check boxes of a plan in prose, nor links', () => {
    const drafts = [
      ...toolCall('1', 'ExitPlanMode', { plan: '- [ ] a\n- [x] b' }),
      ...toolCall('2', 'todo_write', { content: '[a](b) and [note] c' }),
    ]
    expect(tasksOf(drafts)).toEqual([])
  })

  it('are read from the check list among the arguments of any call, also one that failed', () => {
    const drafts = [
      ...toolCall('1', 'read_file', { path: 'a', task_progress: '- [ ] a\n- [ ] b' }),
      ...toolCall(
        '2',
        'replace_in_file',
        { path: 'a', task_progress: '- [x] a\n- [ ] b' },
        { status: 'error' },
      ),
      ...toolCall('3', 'read_file', { path: 'a' }),
    ]
    expect(tasksOf(drafts)).toEqual(['completed a e3', 'pending b e3'])
  })

  it('are those that the interface showed last', () => {
    const shown = (text: string): EventDraft => ({
      type: 'context',
      origin: 'harness',
      name: 'task_progress',
      text,
    })
    const drafts = [shown('- [ ] a'), ...todos('1', ['b', 'pending']), shown('- [x] a\n- [ ] c')]
    expect(tasksOf(drafts)).toEqual(['completed a e4', 'pending c e4'])
    expect(tasksOf(drafts.slice(0, 3))).toEqual(['pending b e2'])
  })

  it('are followed in the tracker of Gemini CLI', () => {
    const drafts = [
      ...toolCall(
        '1',
        'tracker_create_task',
        { title: 'a', type: 'task' },
        { text: 'Created task ab12cd: a' },
      ),
      ...toolCall(
        '2',
        'tracker_create_task',
        { title: 'b', type: 'bug' },
        { text: 'Created task ef34ab: b' },
      ),
      ...toolCall(
        '3',
        'tracker_update_task',
        { id: 'ab12cd', status: 'closed' },
        { text: 'Updated task ab12cd. Status: closed' },
      ),
    ]
    expect(tasksOf(drafts)).toEqual(['completed a e5', 'pending b e3'])
  })

  it('are followed if they are kept one by one', () => {
    const drafts = [
      ...toolCall('1', 'TaskCreate', { subject: 'a' }, { text: 'Task #4 created successfully: a' }),
      ...toolCall('2', 'TaskCreate', { subject: 'b' }, { text: 'Task #5 created successfully: b' }),
      ...toolCall('3', 'TaskCreate', { subject: 'c' }, { text: 'Task #6 created successfully: c' }),
      ...toolCall('4', 'TaskUpdate', { taskId: '5', status: 'in_progress', subject: 'B' }),
      ...toolCall('5', 'TaskUpdate', { taskId: '6', status: 'deleted' }),
      ...toolCall('6', 'TaskUpdate', { taskId: '9', status: 'completed' }),
    ]
    expect(tasksOf(drafts)).toEqual(['pending a e1', 'in_progress B e7'])
  })

  it('name the call that first listed them, if a later one changed them', () => {
    const listed = (drafts: EventDraft[]) =>
      extractFacts(makeSession(drafts)).tasks.map((task) => task.listed)
    const written = [...todos('1', ['a', 'pending']), ...todos('2', ['a', 'in_progress'], ['b', 'pending'])]
    expect(listed([...written, ...todos('3', ['a', 'completed'], ['b', 'in_progress'])])).toEqual([
      'e1',
      'e3',
    ])
    const created = toolCall('1', 'TaskCreate', { subject: 'a' }, { text: 'Task #1 created successfully: a' })
    expect(listed(created)).toEqual([undefined])
    const updated = ['in_progress', 'completed'].flatMap((status, index) =>
      toolCall(`${index + 2}`, 'TaskUpdate', { taskId: '1', status }),
    )
    expect(listed([...created, ...updated])).toEqual(['e1'])
  })

  it('come from the main agent first, without failed or withdrawn updates', () => {
    const sub = (draft: EventDraft) => ({ ...draft, agent: 'sub' })
    const other = todos('2', ['theirs', 'pending']).map(sub)
    expect(tasksOf([...todos('1', ['mine', 'pending']), ...other])).toEqual(['pending mine e1'])
    expect(tasksOf(other)).toEqual(['pending theirs e1'])
    const bad = toolCall(
      '3',
      'TodoWrite',
      { todos: [{ content: 'x', status: 'pending' }] },
      { status: 'error' },
    )
    const undone = todos('4', ['y', 'pending']).map((draft) => ({ ...draft, inContext: false as const }))
    expect(tasksOf([...todos('1', ['mine', 'pending']), ...bad, ...undone])).toEqual(['pending mine e1'])
  })

  it.each([
    [null],
    [{ todos: 'x' }],
    [{ todos: [null, 3, { status: 'pending' }] }],
    [{ plan: {} }],
    ['text'],
  ])('ignore %j', (input) => {
    expect(tasksOf([...todos('1', ['mine', 'pending']), ...toolCall('2', 'TodoWrite', input)])).toEqual([
      'pending mine e1',
    ])
  })
})
