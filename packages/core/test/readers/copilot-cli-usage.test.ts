import { expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'

let count = 0
const record = (type: string, data: object, more: object = {}) => {
  count++
  return { type, data, id: `e${count}`, timestamp: '2026-11-20T08:00:00.000Z', parentId: null, ...more }
}
const start = (type: string) =>
  record(type, { sessionId: 's-1', copilotVersion: '1.0.102', producer: 'copilot-agent' })
const request = (apiCallId: string, inputTokens: number, more: object = {}) =>
  record('session.usage_record', { usage: { model: 'm-1', inputTokens, outputTokens: 10, apiCallId } }, more)
const answer = (apiCallId: string, more: object = {}) =>
  record(
    'assistant.message',
    { messageId: apiCallId, apiCallId, model: 'm-1', content: 'Hi', outputTokens: 10 },
    more,
  )
const shutdown = (inputTokens: number, outputTokens: number) =>
  record('session.shutdown', {
    accountingSnapshot: {},
    modelMetrics: { 'm-1': { usage: { inputTokens, outputTokens } } },
  })

it('counts each request of Copilot CLI 1.0.102 once, though its sums are those of all runs', async () => {
  const child = { agentId: 'a-1' }
  const records = [
    start('session.start'),
    request('r1', 100),
    answer('r1'),
    record('subagent.started', { toolCallId: 'c1', agentName: 'task' }, child),
    record('subagent.configured', { model: 'm-1', multiTurn: true }, child),
    request('r2', 50, child),
    answer('r2', child),
    shutdown(150, 20),
    start('session.resume'),
    request('r3', 200),
    answer('r3'),
    // One request is in no record of its own.
    shutdown(370, 31),
  ]
  const session = await readSession(Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join('')))
  const usage = session.usage.map(({ agent, usage: sum }) => [agent, sum.inputTokens, sum.outputTokens])
  expect(usage).toEqual([
    ['main', 320, 21],
    ['a-1', 50, 10],
  ])
  expect(session.source.account.other).toBe(0)
})

it('notes that the log does not have what was read before a run ended', async () => {
  const notes = async (...records: object[]) => {
    const log = Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''))
    return (await readSession(log)).notes.map(({ code, message }) => [code, message])
  }
  const unread = (responses: string) => [
    [
      'partial-usage',
      `of ${responses} the log has only the output tokens: the input is reported when a run ends`,
    ],
  ]
  expect(await notes(start('session.start'), answer('r1'))).toEqual(unread('1 response'))
  expect(await notes(start('session.start'), answer('r1'), shutdown(150, 20))).toEqual([])
  const again = [
    start('session.start'),
    answer('r1'),
    shutdown(150, 20),
    start('session.resume'),
    answer('r2'),
    answer('r3'),
  ]
  expect(await notes(...again)).toEqual(unread('2 responses'))
  expect(await notes(start('session.start'), request('r1', 100), answer('r1'))).toEqual([])
})
