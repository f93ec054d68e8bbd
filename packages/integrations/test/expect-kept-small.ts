import { tiktokenCounter } from '@tenfold/core'
import { expect } from 'vitest'
import { type SeenLoop, steps } from './scripted-model.ts'

const { count } = tiktokenCounter()

/** Expects what holds for every loop that was kept below `at` tokens. */
export function expectKeptSmall({ requests }: SeenLoop, at: number): void {
  expect(requests).toHaveLength(steps)
  // The names of the fields come on top of what the messages say.
  const tokens = requests.map((messages) => count(JSON.stringify(messages)))
  expect(Math.max(...tokens)).toBeLessThan(at * 1.1)
  const last = requests.at(-1) ?? []
  expect(last[0]?.role).toBe('system')
  expect(JSON.stringify(last[0])).toContain('You are a coding agent.')
  const brief = JSON.stringify(last[1])
  expect(brief).toContain('Move the config loader to zod 4')
  expect(brief).toContain('Never touch src/legacy')
  expectPairs(requests)
  // A cached prefix is lost only by a compaction: once for what `at` leaves room for.
  const changes = requests.filter(
    (messages, step) => step > 0 && !startsWith(messages, requests[step - 1] ?? []),
  )
  expect(changes.length).toBeGreaterThan(1)
  expect(changes.length).toBeLessThan(8)
}

function expectPairs(requests: SeenLoop['requests']): void {
  for (const messages of requests) {
    const text = JSON.stringify(messages)
    const answers = messages.flatMap(({ tool_call_id }) => (tool_call_id === undefined ? [] : [tool_call_id]))
    for (const id of answers) expect(text).toContain(`"id":"${id}"`)
    const calls = [...text.matchAll(/"id":"(call-\d+)"/g)].map(([, id]) => id)
    expect(new Set(answers)).toEqual(new Set(calls))
  }
}

function startsWith(messages: readonly unknown[], first: readonly unknown[]): boolean {
  return first.every((message, index) => JSON.stringify(message) === JSON.stringify(messages[index]))
}
