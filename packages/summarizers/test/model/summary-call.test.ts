import { emptySummary, type SessionSummary, type SummaryRequest } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import { modelRequestFor, summaryFrom } from '../../src/model/summary-call.ts'
import { ModelError, type ModelReply } from '../../src/provider/model.ts'
import { answerTo, dataOf, replyOf, seeded } from './support/fake-model.ts'
import { byteCounter, itemOf, requestOf, workRequest } from './support/request.ts'

const options = { counter: byteCounter, maxOutputTokens: 4000 }
const ask = (request: SummaryRequest, more: object = {}) => modelRequestFor(request, { ...options, ...more })

function fault(reply: ModelReply, request = workRequest()): ModelError {
  try {
    summaryFrom(request, reply, { counter: byteCounter })
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
  throw new Error('expected a ModelError')
}

const earlier: SessionSummary = {
  ...emptySummary(),
  overview: 'The retry was begun.',
  workflow: {
    currentTask: 'Add the retry',
    tasksCompleted: [],
    tasksRemaining: [{ text: 'Add the retry', evidence: ['e1'] }],
    blockers: [],
  },
  findings: [
    { text: 'send() is in src/send.ts', evidence: ['e1'] },
    { text: 'The server answers 429', evidence: ['e2'] },
  ],
  constraints: [{ text: 'Never touch the public API.', evidence: ['e1'] }],
  nextSteps: [{ action: 'Edit src/upload.ts', command: 'npm test', evidence: ['e2'] }],
}

describe('modelRequestFor', () => {
  it('puts the data between marks and the task after them', () => {
    const { messages, maxOutputTokens, schemaName } = ask(workRequest(), { random: seeded() })
    expect([messages.length, messages[0]?.role, maxOutputTokens, schemaName]).toEqual([
      1,
      'user',
      4000,
      'summary',
    ])
    expect(messages[0]?.text).toMatch(
      /^BEGIN transcript (\w{12})\n[\s\S]*\nEND transcript \1\n\nBEGIN facts \1\n[\s\S]*\nEND facts \1\n\nSummarize the session/,
    )
  })

  it('shows the decisions of a merge with their topic, what was turned down and who decided', () => {
    const decisions = [
      {
        topic: 'retry',
        choice: 'wait 250 ms',
        rationale: 'the server asks for it',
        alternatives: ['no retry'],
        by: 'user' as const,
        evidence: ['e2' as const],
      },
      { choice: 'keep send()', alternatives: [], by: 'agent' as const, evidence: [] },
    ]
    const merge = { ...workRequest({ earlier: { ...earlier, decisions } }), items: [] }
    const request = ask(merge, { random: seeded() })
    expect(dataOf(request, 'earlier')).toContain(
      [
        '[d1] decision (e2)',
        '| on: retry',
        '| wait 250 ms',
        '| because: the server asks for it',
        '| over: no retry',
        '| by: user',
        '[d2] decision',
        '| keep send()',
        '| by: agent',
      ].join('\n'),
    )
    expect(request.messages[0]?.text).toContain('where parts disagree what has the earlier events')
  })

  it('is plain data, the same for the same random numbers', () => {
    const request = ask(workRequest(), { random: seeded() })
    expect(JSON.parse(JSON.stringify(request))).toEqual(request)
    expect(ask(workRequest(), { random: seeded() })).toEqual(request)
    expect(ask(workRequest())).not.toEqual(ask(workRequest()))
  })

  it('estimates its size as an upper bound', () => {
    for (const request of [workRequest(), workRequest({ earlier }), workRequest({ kind: 'plan', earlier })]) {
      const { system, messages, schema, inputTokens } = ask(request, { tokenFactor: 1 })
      const text = [system, messages[0]?.text, JSON.stringify(schema)].join('')
      expect(inputTokens).toBeGreaterThanOrEqual(byteCounter.count(text))
      expect(inputTokens).toBeLessThan(byteCounter.count(text) + 200)
      expect(ask(request, { tokenFactor: 2 }).inputTokens).toBe(inputTokens * 2)
    }
  })

  it('shows an earlier summary as numbered data, and asks for what changed', () => {
    const request = ask(workRequest({ earlier }))
    expect(dataOf(request, 'earlier').split('\n')).toEqual([
      'summary:',
      '| The retry was begun.',
      'currentTask:',
      '| Add the retry',
      'nextSteps:',
      '| n1 Edit src/upload.ts (command: npm test) (e2)',
      '[c1] constraint (e1)',
      '| Never touch the public API.',
      '[t1] task remaining (e1)',
      '| Add the retry',
      '[f1] finding (e1)',
      '| send() is in src/send.ts',
      '[f2] finding (e2)',
      '| The server answers 429',
    ])
    expect(request.schemaName).toBe('summary_update')
    expect(Object.keys(request.schema.properties as object)).toContain('obsolete')
  })

  it('shows no empty transcript if parts are merged', () => {
    const request = ask(requestOf([], { earlier }))
    expect(request.messages[0]?.text).not.toContain('BEGIN transcript')
    expect(request.messages[0]?.text).toContain('There is no new transcript')
    expect(ask(requestOf([])).messages[0]?.text).toContain('BEGIN transcript')
  })

  it('lists the newest earlier statements if not all fit', () => {
    const findings = Array.from({ length: 400 }, (_, index) => ({
      text: `Finding number ${index + 1} about src/file-${index + 1}.ts`,
      evidence: [`e${((index * 7) % 400) + 1}` as const],
    }))
    const long = requestOf([itemOf(500, 'user', 'Go on')], { earlier: { ...earlier, findings } })
    const { inputTokens } = ask(long)
    expect(inputTokens).toBeGreaterThan(9000)
    const request = ask(long, { maxInputTokens: 6000 })
    expect(request.inputTokens).toBeLessThanOrEqual(6000)
    const shown = [...dataOf(request, 'earlier').matchAll(/\[f\d+\] finding \(e(\d+)\)/g)].map(([, event]) =>
      Number(event),
    )
    expect(shown.length).toBeGreaterThan(20)
    expect(Math.min(...shown)).toBe(400 - shown.length + 1)
    expect(dataOf(request, 'earlier')).toContain('The retry was begun.')
    expect(dataOf(request, 'earlier')).toMatch(
      /^\(\d+ other statements are not shown; they stay as they are\)$/m,
    )
  })

  it('lists first what the new events may have changed: open work, then what the transcript names', () => {
    const findings = Array.from({ length: 200 }, (_, index) => ({
      text: `Finding number ${index + 1} about src/file-${index + 1}.ts`,
      evidence: [`e${index + 1}` as const],
    }))
    const items = [itemOf(500, 'Read', 'src/file-7.ts\nexport {}')]
    const request = requestOf(items, { earlier: { ...earlier, findings }, sourceTokens: 1200 })
    const shown = dataOf(ask(request), 'earlier')
    expect(shown).toContain('[t1] task remaining (e1)\n| Add the retry')
    expect(shown).toContain('Finding number 7 about')
    expect(shown).toContain('Finding number 200 about')
    expect(shown).not.toContain('Finding number 8 about')
  })

  it('reads of an update at most twice what is new', () => {
    const findings = Array.from({ length: 400 }, (_, index) => ({
      text: `Finding number ${index + 1} about src/file-${index + 1}.ts`,
      evidence: [`e${index + 1}` as const],
    }))
    const items = [itemOf(500, 'user', 'Go on with the next file. '.repeat(80))]
    for (const sourceTokens of [2500, 5000, 10_000]) {
      const request = requestOf(items, { earlier: { ...earlier, findings }, sourceTokens })
      expect(ask(request, { tokenFactor: 1 }).inputTokens).toBeLessThan(sourceTokens * 2)
    }
  })
})

describe('summaryFrom', () => {
  const request = workRequest()
  const answer = (fields: object = {}) => answerTo(ask(request), { summary: 'Fine.', ...fields })

  it.each([answer(), `\`\`\`json\n${answer()}\n\`\`\``, `Sure:\n${answer()}\nDone.`])('reads %j', (text) => {
    expect(summaryFrom(request, replyOf(text)).overview).toBe('Fine.')
  })

  it.each<[ModelError['reason'], Partial<ModelReply>]>([
    ['refused', { stop: 'refusal' }],
    ['content-filter', { stop: 'content-filter' }],
    ['truncated', { stop: 'max-tokens' }],
    ['truncated', { stop: 'context-exceeded' }],
    ['cut-off', { stop: 'pause' as 'end' }],
    ['empty', { text: ' \n' }],
    ['invalid-output', { text: 'I think it went well.' }],
    ['invalid-output', { text: `${answer()}${answer()}` }],
    ['invalid-output', { text: '{"summary": 1}' }],
    ['invalid-output', { text: answer({ summary: '' }) }],
    ['invalid-output', { text: answer({ findings: 'none' }) }],
  ])('throws %s on %j', (reason, reply) => {
    const usage = { inputTokens: 5, outputTokens: 7 }
    const error = fault(replyOf(answer(), { usage, requestId: 'req_1', model: 'm', ...reply }))
    expect(error).toMatchObject({ reason, usage, requestId: 'req_1', model: 'm' })
    expect(error.message).not.toContain('upload')
  })

  it('says briefly what does not match', () => {
    expect(fault(replyOf('{"summary": 1, "findings": {}}')).message).toMatch(
      /^the answer does not match the schema: tasksCompleted: .+; .+ and \d+ more$/,
    )
    expect(fault(replyOf(answer({ nextSteps: 'x' }))).message).toContain('nextSteps: ')
  })

  it('refuses an answer longer than the text it summarizes, or than four times the request', () => {
    const findings = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        text: `word ${'word '.repeat(60)}${index}`,
        evidence: ['e1'],
      }))
    const long = requestOf([itemOf(1, 'user', 'x '.repeat(20_000))], { maxTokens: 1000 })
    expect(summaryFrom(request, replyOf(answer({ findings: findings(10) }))).findings).toHaveLength(10)
    expect(fault(replyOf(answer({ findings: findings(30) }))).reason).toBe('inflated')
    expect(summaryFrom(long, replyOf(answer({ findings: findings(30) }))).findings).toHaveLength(30)
    expect(fault(replyOf(answer({ findings: findings(90) })), long).reason).toBe('inflated')
    const pretty = JSON.stringify(JSON.parse(answer({ findings: findings(10) })), null, 200)
    expect(summaryFrom(request, replyOf(pretty)).findings).toHaveLength(10)
  })

  it('updates an earlier summary and leaves statements alone that are not named', () => {
    const update = workRequest({ earlier })
    const text = answerTo(ask(update), {
      summary: 'The retry is there.',
      currentTask: 'Fix the test',
      findings: [{ text: 'The test counts 4 calls', evidence: ['e5'] }],
      changed: [{ id: 'f1', text: 'send() is in src/upload.ts', evidence: ['e3'] }],
      resolved: ['t1'],
      obsolete: ['f2', 'c1', 'zz'],
    })
    const summary = summaryFrom(update, replyOf(text))
    expect(summary).toMatchObject({
      overview: 'The retry is there.',
      constraints: earlier.constraints,
      nextSteps: earlier.nextSteps,
      findings: [
        { text: 'send() is in src/upload.ts', evidence: ['e1', 'e3'] },
        { text: 'The test counts 4 calls', evidence: ['e5'] },
      ],
      workflow: {
        currentTask: 'Fix the test',
        tasksRemaining: [],
        tasksCompleted: [{ text: 'Add the retry', evidence: ['e1'] }],
      },
    })
  })

  it('survives an answer nested deeper than the stack', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const text = answer().replace('"findings":[]', `"findings":[${deep},"kept"]`)
    const long = requestOf([itemOf(1, 'user', 'x '.repeat(500_000))], { maxTokens: 1_000_000 })
    const { findings } = summaryFrom(long, replyOf(text), { counter: byteCounter })
    expect(findings).toEqual([{ text: 'kept', evidence: [] }])
  })
})
