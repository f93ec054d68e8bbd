import { describe, expect, it } from 'vitest'
import { groundSteps } from '../../src/assemble/ground.ts'
import type { SessionSummary } from '../../src/bundle/session-summary.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { Facts } from '../../src/facts/facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { atOnce } from '../../src/session/pauses.ts'
import { emptyFacts } from '../../src/testing/empty-facts.ts'
import { item, summaryWith } from '../summarize/summaries.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'
import { assistant, makeSession, shell, user } from '../support/session.ts'

const groundSummary = (...given: Parameters<typeof groundSteps>) => atOnce(groundSteps(...given))

const drafts: EventDraft[] = [
  user('Never push to main. Prefer short\n  functions where they read well, said the style guide.'),
  ...shell('1', 'cat notes.md', 'Use Redis for the cache, always'),
  assistant('I call it "the big refactoring"'),
  user('Prefer short functions where they read well'),
]

const facts = { ...emptyFacts, constraints: [{ text: 'Never push to main.', event: 'e1' as const }] }

function ground(summary: SessionSummary, options = {}) {
  return groundSummary(summary, makeSession(drafts), facts, options)
}

describe('constraints', () => {
  it('are accepted with the user message that contains them', () => {
    const constraints = [
      item('Prefer short functions where they read well', 'e3', 'e5'),
      item('said the style  guide', 'e2'),
    ]
    const { summary, unverified, notes } = ground(summaryWith({ constraints }))
    expect(summary.constraints).toEqual([
      item('Prefer short functions where they read well', 'e5'),
      item('said the style guide', 'e1'),
    ])
    expect(unverified).toBe(0)
    expect(notes).toEqual([])
  })

  it('are words of the agent that gave the task if nobody typed in the log', () => {
    const task: EventDraft = { type: 'context', origin: 'agent', name: 'task', text: 'You own only kiln.ts.' }
    const summary = summaryWith({ constraints: [item('You own only kiln.ts.', 'e1')] })
    const accepted = (all: EventDraft[]) =>
      groundSummary(summary, makeSession(all), emptyFacts, {}).summary.constraints
    expect(accepted([task])).toEqual([item('You own only kiln.ts.', 'e1')])
    expect(accepted([task, user('Go on.')])).toEqual([])
  })

  it('are left out and counted if the user did not write them', () => {
    const constraints = [item('Use Redis for the cache, always', 'e3'), item('prefer SHORT functions', 'e1')]
    const { summary, unverified, notes } = ground(summaryWith({ constraints }))
    expect(summary.constraints).toEqual([])
    expect(unverified).toBe(2)
    expect(notes).toEqual([expect.objectContaining({ code: 'constraint-refused', count: 2 })])
  })

  it('are left out and counted if the facts report that they do not bind', () => {
    const session = makeSession([
      user('Why must it be a map? Only the first click works but it shows two. Short names.'),
      user('Never push to main.'),
      user('you can push to main now'),
    ])
    const found = { ...emptyFacts, ...extractFacts(session) }
    const constraints = [
      item('Why must it be a map?', 'e1'),
      item('Never push to main.', 'e2'),
      item('Short names.', 'e1'),
    ]
    const { summary, notes } = groundSummary(summaryWith({ constraints }), session, found)
    expect(summary.constraints).toEqual([item('Short names.', 'e1')])
    expect(notes).toEqual([expect.objectContaining({ code: 'constraint-not-binding', count: 2 })])
  })

  it('are not repeated', () => {
    const constraints = [
      item('Never push to main.', 'e1'),
      item('push to main', 'e1'),
      item('short functions', 'e1'),
      item('short functions', 'e5'),
    ]
    const { summary, unverified } = ground(summaryWith({ constraints }))
    expect(summary.constraints).toEqual([item('short functions', 'e1')])
    expect(unverified).toBe(0)
  })

  it('are not taken from what was withdrawn or belongs to a parent session', () => {
    const session = makeSession([
      { ...user('Use tabs everywhere.'), inContext: false },
      { ...user('Use spaces everywhere.'), copied: true },
    ])
    const constraints = [item('Use tabs everywhere.', 'e1'), item('Use spaces everywhere.', 'e2')]
    expect(groundSummary(summaryWith({ constraints }), session, emptyFacts).summary.constraints).toEqual([])
  })
})

describe('quotes', () => {
  const flags = (...texts: string[]) =>
    ground(summaryWith({ findings: texts.map((text) => item(text, 'e1')) })).summary.findings.map(
      ({ unverified }) => unverified === true,
    )

  it("of the user must be the user's words", () => {
    expect(
      flags(
        'the user said "Never push to main"',
        'the user called it "the big refactoring"',
        'it is called "the big refactoring"',
        'as the user wants it: "Use Redis for the cache, always"',
        'no one said "the small refactoring"',
      ),
    ).toEqual([false, true, false, true, true])
  })

  it("in a decision of the user must be the user's words", () => {
    const decision = (by: 'user' | 'agent') => ({
      choice: '"the big refactoring" goes on',
      alternatives: [],
      by,
      evidence: [],
    })
    const { summary } = ground(summaryWith({ decisions: [decision('user'), decision('agent')] }))
    expect(summary.decisions.map(({ unverified }) => unverified === true)).toEqual([true, false])
  })

  it('are searched in pieces around the marks of omissions', () => {
    expect(flags('"Never push […12] read well"', '"Never push […12] to Mars"', '`ca`', '`qx`')).toEqual([
      false,
      true,
      false,
      true,
    ])
  })
})

describe('names and the pieces of a quote around a gap', () => {
  it('are searched verbatim', () => {
    const session = makeSession([
      user('The proxy and mTLS stay.'),
      ...shell('1', 'cat src/auth/login.ts', 'export const session = 1'),
    ])
    const found = { ...extractFacts(session) }
    const texts = ['it covers `proxy/quic`', 'see src/session', 'see `cat src/...`']
    const findings = texts.map((text) => item(text, 'e1'))
    const { summary } = groundSummary(summaryWith({ findings }), session, found)
    expect(summary.findings.map(({ unverified }) => unverified === true)).toEqual([true, true, false])
  })
})

describe('next commands', () => {
  const commandsOf = (proposals: Facts['proposals'], ...commands: string[]) => {
    const nextSteps = commands.map((command) => ({ action: 'go on', command, evidence: [] }))
    const { summary, notes } = groundSummary(summaryWith({ nextSteps }), makeSession(drafts), {
      ...facts,
      proposals,
    })
    return [summary.nextSteps.map(({ command }) => command), notes.map(({ code }) => code)]
  }

  it('are kept if they were proposed; a step with a command that was only run loses the command', () => {
    const proposals = [{ command: 'npm publish', event: 'e4' as const }]
    expect(commandsOf(proposals, 'npm publish', 'cat notes.md')).toEqual([
      ['npm publish', undefined],
      ['command-refused'],
    ])
    expect(commandsOf([], 'npm publish')).toEqual([[undefined], ['command-refused']])
  })
})

describe('earlier flags', () => {
  it('are renewed, except for a statement whose event was lost', () => {
    const findings = [
      { ...item('cat notes.md was run', 'e2'), unverified: true as const },
      { ...item('all is well'), unverified: true as const },
    ]
    const { summary, unverified } = ground(summaryWith({ findings }))
    expect(summary.findings).toEqual([item('cat notes.md was run', 'e2'), findings[1]])
    expect(unverified).toBe(1)
  })
})

it('drops a step that only states that nothing is left, and keeps one with an exception', () => {
  const nextSteps = ['Nothing is left to do.', 'Nothing is left to do except pushing the branch.'].map(
    (action) => ({ action, evidence: [] }),
  )
  expect(ground(summaryWith({ nextSteps })).summary.nextSteps).toEqual(nextSteps.slice(1))
})

it('drops unverified statements on request', () => {
  const findings = [item('`no such thing`', 'e1'), item('fine', 'e1')]
  const { summary, unverified } = ground(summaryWith({ findings }), { dropUnverified: true })
  expect(summary.findings).toEqual([item('fine', 'e1')])
  expect(unverified).toBe(1)
})

it('makes one pass over a large log for any number of statements', async () => {
  const session = makeSession(
    Array.from({ length: 40_000 }, (_, index) =>
      assistant(`step ${index} did ${'some more work '.repeat(8)}`),
    ),
  )
  const findings = Array.from({ length: 2000 }, (_, index) =>
    item(index % 2 === 0 ? `"step ${index} did some"` : `"stop ${index} did some"`, 'e1'),
  )
  const nextSteps = Array.from({ length: 20 }, (_, index) => ({
    action: 'go on',
    command: `run ${index}`,
    evidence: [],
  }))
  await expectCpuBelow(4000, () => {
    const { unverified } = groundSummary(summaryWith({ findings, nextSteps }), session, emptyFacts)
    expect(unverified).toBe(1000)
  })
})
