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
