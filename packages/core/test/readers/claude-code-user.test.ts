import { expect, it } from 'vitest'
import { splitUserText } from '../../src/readers/claude-code/user.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'

it('takes linear time for blocks of the harness that have no end', async () => {
  const text = '<system-reminder>'.repeat(100_000)
  await expectCpuBelow(1000, () =>
    expect(splitUserText(text)).toEqual([{ type: 'user', origin: 'typed', text }]),
  )
})
