import { describe, expect, it } from 'vitest'
import { listExcerpts } from '../../src/plan/excerpt-list.ts'
import { excerptsOf } from '../../src/plan/excerpts.ts'
import { atOnce } from '../../src/session/pauses.ts'
import { emptyFacts } from '../../src/testing/empty-facts.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import { heapInUse } from '../support/heap.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

const counter = tiktokenCounter()
const session = makeSession([
  user('fix ticket 4711\nand say why'),
  { type: 'reasoning', text: 'hm' },
  assistant('looking'),
  ...toolCall('1', 'Read', { file_path: '/repo/a' }),
  ...toolCall('2', 'Read', { file_path: '/repo/b' }),
  ...shell('3', 'npm test', 'all passed'),
  { type: 'tool_result', callId: 'nobody', status: 'ok', text: 'a result without a call' },
  { type: 'rewind', turns: 1 },
  assistant('done'),
  user('push it'),
  assistant('pushed'),
])
const made = [...excerptsOf(session, emptyFacts, counter)]

describe('a list of excerpts', () => {
  const list = atOnce(listExcerpts(made.values(), session.events.length))

  it('yields the same excerpts at each iteration', () => {
    expect(made.length).toBeGreaterThan(8)
    expect(made[0]?.parts[0]?.unique).toBe(true)
    expect([...list.excerpts]).toEqual(made)
    expect([...list.excerpts]).toEqual(made)
  })

  it('has an item of the transcript for each, and their size', () => {
    expect(list.transcript.map(({ event, text }) => [event, text])).toEqual(
      made.map(({ event, parts }) => [event, parts.map((part) => part.text).join('\n')]),
    )
    const parts = made.flatMap((excerpt) => excerpt.parts)
    expect(list.readTokens).toBe(parts.reduce((sum, part) => sum + part.tokens, 0))
  })

  it('copies the text of a call with its output when it is compared and written', () => {
    const call = list.transcript.find(({ label, text }) => label === 'Bash' && text.includes('\n'))
    expect(call?.text).toMatch(/^npm test.*\nall passed$/)
    expect({ ...call }.text).toBe(call?.text)
    expect(JSON.parse(JSON.stringify(call))).toEqual({ ...call })
    expect(structuredClone(call)?.text).toBe(call?.text)
  })

  it('takes little memory for a call with its output', () => {
    const calls = Array.from({ length: 5000 }, (_, at) => shell(`${at}`, `npm test ${at}`, 'passed')).flat()
    const long = makeSession(calls)
    const excerpts = [...excerptsOf(long, emptyFacts, counter)]
    const before = heapInUse()
    const { transcript } = atOnce(listExcerpts(excerpts, long.events.length))
    expect((heapInUse() - before) / transcript.length).toBeLessThan(250)
    expect(transcript.at(-1)?.text).toBe('npm test 4999\npassed')
  })
})
