import { expect, it } from 'vitest'
import { kiroReader } from '../../src/readers/kiro.ts'
import { readSession } from '../../src/readers/read-session.ts'

const log = new URL('../fixtures/kiro/conversation.json', import.meta.url)

it('reads prompts, calls and their results by order if ids are empty', async () => {
  const session = await readSession(log, { readers: [kiroReader] })
  expect(session).toMatchObject({ cwd: '/srv/kite', models: ['claude-sonnet-4.5'] })
  expect(session.events.flatMap((event) => (event.type === 'user' ? [event.text] : []))).toEqual([
    'Make the kite fly higher. Do not touch the tail.',
    'no, use 3',
  ])
  const results = session.events.flatMap((event) =>
    event.type === 'tool_result' ? [[event.callId, event.status, event.exitCode, event.text]] : [],
  )
  expect(results).toEqual([
    ['call-1', 'ok', undefined, 'height = 1'],
    ['call-2', 'error', 2, 'no wind'],
    ['tooluse_1', 'cancelled', undefined, 'Tool use was cancelled by the user'],
  ])
  expect(session.events.at(-1)).toMatchObject({ type: 'compaction', text: 'The kite flies at 3.' })
})

it('reads the pairs of older versions', async () => {
  const history = [[{ content: { Prompt: { prompt: 'Fly.' } } }, { Response: { content: 'It flies.' } }]]
  const session = await readSession({ parsed: { conversation_id: 'a', history } })
  expect(session.format).toBe('kiro')
  expect(session.events.map(({ type }) => type)).toEqual(['user', 'assistant'])
})
