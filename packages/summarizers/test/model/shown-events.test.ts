import { describe, expect, it } from 'vitest'
import { factsText, shownEvents } from '../../src/model/facts-text.ts'
import { readSummary } from '../../src/model/read-summary.ts'
import { rulesText } from '../../src/model/rules-text.ts'
import { byteCounter, factsOf, itemOf, requestOf } from './support/request.ts'

const counter = byteCounter
const run = itemOf(2, 'Read', 'e2 a.md\ne4 b.md', { until: 'e4', results: ['e3', 'e4', 'e5'] })

describe('facts of a request', () => {
  it('cite the call that heads the block, and not its result', () => {
    const { idOf } = shownEvents([run])
    expect(['e2', 'e3', 'e4', 'e5', 'e9'].map((id) => idOf(id as 'e2'))).toEqual([
      'e2',
      'e2',
      'e4',
      'e4',
      'e9',
    ])
    const facts = factsOf({
      errors: [{ message: 'TS2304', event: 'e5' }],
      projectRules: [{ text: 'Never push.', source: 'b.md', event: 'e5' } as never],
    })
    const shown = shownEvents([run])
    expect(factsText(facts, { maxTokens: 500, counter, shown })).toContain('| e4 TS2304')
    expect(rulesText(facts, { maxTokens: 500, counter, idOf: shown.idOf })).toContain('| r1 e4 Never push.')
  })

  const task = itemOf(1, 'task', 'You own only kiln.ts. Do not commit.', { type: 'context' })
  const given = factsOf({
    constraints: [{ text: 'Do not commit.', event: 'e1' }],
    constraintCandidates: [{ text: 'Do not commit.', event: 'e1' }],
  })

  it('say of demands in a session without a user who made them', () => {
    const text = factsText(given, { maxTokens: 500, counter, shown: shownEvents([task]) })
    expect(text).toContain('Demands of the agent that gave the task:\n| e1 Do not commit.')
    expect(text).not.toContain('Demands of the user')
    const other = shownEvents([{ ...task, agent: 'a1' }])
    expect(factsText(given, { maxTokens: 500, counter, shown: other })).toContain('Demands of the user:')
  })

  it('let the agent that gave the task stand for the user, but not beside one', () => {
    const answer = { summary: 'x', constraints: [{ text: 'You own only kiln.ts.', evidence: ['e1'] }] }
    expect(readSummary(answer, requestOf([task])).constraints).toEqual([
      { text: 'You own only kiln.ts.', evidence: ['e1'] },
    ])
    expect(readSummary(answer, requestOf([task, itemOf(2, 'user', 'Go on.')])).constraints).toEqual([])
  })

  it('give the question that a short answer needs', () => {
    const asked = itemOf(1, 'assistant', 'I read it. When should the kiln be lit?\n1. at dawn\n2. at dusk')
    const facts = factsOf({ constraints: [{ text: 'only at dusk', event: 'e2' }] })
    const textOf = (said: string) =>
      factsText(facts, { maxTokens: 500, counter, shown: shownEvents([asked, itemOf(2, 'user', said)]) })
    expect(textOf('only at dusk')).toContain('| e2 only at dusk (answer to: When should the kiln be lit?)')
    expect(textOf(`only at dusk ${'and then with care '.repeat(20)}`)).toMatch(/\| e2 only at dusk$/m)
  })
})

describe('the current task', () => {
  it('is none if the model only says so: it would be the title', () => {
    for (const none of ['None; the kiln is done.', 'nothing in progress', 'N/A'])
      expect(
        readSummary({ summary: 'x', currentTask: none }, requestOf([])).workflow.currentTask,
      ).toBeUndefined()
    expect(
      readSummary({ summary: 'x', currentTask: 'Nonelectric kiln' }, requestOf([])).workflow.currentTask,
    ).toBe('Nonelectric kiln')
  })
})
