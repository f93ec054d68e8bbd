import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { replaySession } from '../../src/replay/replay-session.ts'

const fixture = new URL('../fixtures/task-events/events.jsonl', import.meta.url)
const lines = (events: readonly object[]): Uint8Array =>
  new TextEncoder().encode(events.map((event) => `${JSON.stringify(event)}\n`).join(''))

it("reads an orchestrator's event log as a session, each event once", async () => {
  const session = await readSession(await readFile(fixture))
  expect(session).toMatchObject({ format: 'task-events', id: 'task-7', models: ['m-1'] })
  expect(session.events.map(({ type }) => type)).toEqual([
    ...['user', 'assistant', 'tool_call', 'context', 'tool_result', 'tool_call', 'tool_result', 'assistant'],
  ])
  const { commands, files } = extractFacts(session)
  expect(commands).toMatchObject([{ command: 'node check.mjs', status: 'error', exitCode: 3 }])
  expect(files).toMatchObject([{ path: 'src/cart.mjs', status: 'modified' }])
})

it('is the same timeline when it is replayed, and so is what a replay printed', async () => {
  const original = await readSession(
    new URL('../../../../examples/logs/claude-code-small.jsonl', import.meta.url),
  )
  const replayed = replaySession(original)
  const again = replaySession(await readSession(lines(replayed)))
  const shown = (events: typeof replayed) => events.map(({ event: _, ...each }) => each)
  expect(again.length).toBeGreaterThan(5)
  expect(shown(again)).toEqual(shown(replayed))
})

it('notes a result without a call, and keeps records that are not task events', async () => {
  const event = { agent: 'main', text: 'x' }
  const session = await readSession(
    lines([
      { ...event, id: 'a', type: 'user' },
      { ...event, id: 'b', type: 'tool_summary', callId: 'c', status: 'ok' },
      { ...event, id: 'd', type: 'tool_summary', callId: 'c', status: 'odd' },
    ]),
  )
  expect(session.events.map(({ type }) => type)).toEqual(['user', 'tool_result', 'other'])
  expect(session.notes.map(({ code }) => code)).toEqual(['result-without-call'])
})
