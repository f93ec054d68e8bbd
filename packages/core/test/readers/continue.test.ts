import { expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { totalUsage } from '../../src/session/usage.ts'

const log = (name: string): URL => new URL(`../fixtures/continue/${name}.json`, import.meta.url)

it('reads messages, what was attached to them, and the state of each call', async () => {
  const session = await readSession(log('session'))
  expect(session).toMatchObject({ format: 'continue', cwd: '/srv/bakery', models: ['gpt-5.1'] })
  expect(session.title).toBeUndefined()
  expect(session.events.map(({ type }) => type).slice(0, 4)).toEqual([
    'context',
    'context',
    'user',
    'reasoning',
  ])
  const results = session.events.flatMap((event) =>
    event.type === 'tool_result' ? [[event.callId, event.status, event.exitCode]] : [],
  )
  expect(results).toEqual([
    ['call_1', 'ok', undefined],
    ['call_2', 'error', undefined],
    ['call_3', 'ok', undefined],
    ['call_4', 'error', 3],
    // It may have failed: only a command that writes to stderr is said to.
    ['call_5', 'unknown', undefined],
    ['call_6', 'denied', undefined],
    ['call_7', 'ok', undefined],
  ])
  expect(session.events.filter(({ type }) => type === 'other')).toEqual([])
  expect(session.events.at(-1)).toMatchObject({ type: 'tool_call', input: { command: 'sleep 100' } })
  expect(session.events.findLast(({ type }) => type === 'user')).toMatchObject({
    text: 'And this?',
    images: 1,
  })
})

it('counts tokens with those of the cache, and finds files, checks and tasks', async () => {
  const session = await readSession(log('session'))
  expect(totalUsage(session.usage)).toMatchObject({
    inputTokens: 7000,
    outputTokens: 155,
    cacheReadTokens: 2500,
    reasoningTokens: 5,
  })
  const { files, tasks, commands } = extractFacts(session)
  expect(files).toContainEqual(expect.objectContaining({ path: 'bread.mjs', status: 'created' }))
  expect(tasks.map(({ text, status }) => [text, status])).toEqual([
    ['bake', 'completed'],
    ['taste', 'pending'],
  ])
  expect(commands.map(({ status }) => status).slice(0, 2)).toEqual(['error', 'unknown'])
})

it('takes a summary that replaced the history for a compaction', async () => {
  const { events, title } = await readSession(log('compacted'))
  expect(title).toBe('Bake rolls')
  expect(events[0]).toMatchObject({ type: 'compaction', text: 'The bread is baked; the rolls are open.' })
})
