import { expect, it } from 'vitest'
import { splitUserText } from '../../src/readers/claude-code/user.ts'
import { cpuTime } from '../support/cpu-time.ts'

it('takes linear time for blocks of the harness that have no end', () => {
  const started = cpuTime()
  const text = '<system-reminder>'.repeat(100_000)
  expect(splitUserText(text)).toEqual([{ type: 'user', origin: 'typed', text }])
  expect(cpuTime() - started).toBeLessThan(1000)
})
