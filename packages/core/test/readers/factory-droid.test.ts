import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { factoryDroidReader } from '../../src/readers/factory-droid.ts'
import { readSession } from '../../src/readers/read-session.ts'

const readers = [factoryDroidReader]
const fixture = readFileSync(new URL('../fixtures/factory-droid/session.jsonl', import.meta.url))

it('separates user messages from reminders and from text that the model was not shown', async () => {
  const { events, title, cwd } = await readSession(fixture, { readers })
  expect({ title, cwd }).toEqual({ title: 'paint the fence', cwd: '/srv/fence' })
  expect(events.flatMap((event) => (event.type === 'user' ? [event.text] : []))).toEqual([
    'Paint the fence white. Never paint the gate.',
    'use chalk paint',
  ])
  const contexts = events.flatMap((event) =>
    event.type === 'context' ? [[event.name, event.inContext ?? true]] : [],
  )
  expect(contexts).toEqual([
    ['system-reminder', true],
    ['user_only', false],
  ])
})

it('reads the exit codes of successful and failed commands', async () => {
  const { events } = await readSession(fixture, { readers })
  const results = events.flatMap((event) =>
    event.type === 'tool_result' ? [[event.callId, event.status, event.exitCode]] : [],
  )
  expect(results).toEqual([
    ['tu1', 'ok', 0],
    ['tu2', 'ok', undefined],
    ['tu3', 'ok', undefined],
    ['tu4', 'error', 2],
  ])
})

it('takes model and usage from the settings file if the log lacks them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'droid-'))
  try {
    const log = fixture.toString('utf8').replace(/,"usage":\{[^}]*\}/g, '')
    await writeFile(join(folder, 'abc.jsonl'), log)
    const tokenUsage = { inputTokens: 10, outputTokens: 4, cacheReadTokens: 90, cacheCreationTokens: 5 }
    await writeFile(
      join(folder, 'abc.settings.json'),
      JSON.stringify({ model: 'claude-opus-4-6', tokenUsage }),
    )
    const session = await readSession(folder, { readers })
    expect(session.models).toEqual(['claude-opus-4-6'])
    expect(session.usage).toMatchObject([{ usage: { inputTokens: 105, outputTokens: 4 } }])
    expect(session.source.account.other).toBe(0)
  } finally {
    await rm(folder, { recursive: true })
  }
})
