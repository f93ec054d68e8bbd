import type { TranscriptItem } from '@tenfold/core/summarizer'
import { expect, it } from 'vitest'
import { heapInUse } from '../../../core/test/support/heap.ts'
import { designComments } from '../../src/extractive/design-comments.ts'

/** An edit whose text is made when it is read. */
function edit(at: number, makeText: () => string): TranscriptItem {
  return {
    event: `e${at + 1}`,
    agent: 'main',
    turn: 1,
    type: 'tool_call',
    label: 'Write',
    status: 'ok',
    get text() {
      return makeText()
    },
  }
}

const code = 'const lid = close(kiln)\n'.repeat(2000)

it('what comments say is remembered, not the texts with them', () => {
  let inUse = 0
  const start = heapInUse()
  const items = Array.from({ length: 200 }, (_, at) =>
    edit(
      at,
      () =>
        `src/pot${at}.ts\n// We keep lid ${at} closed instead of open, because the glaze must not run.\n${code}`,
    ),
  )
  const last = edit(200, () => {
    inUse = heapInUse() - start
    return 'src/last.ts\n'
  })
  expect(designComments([...items, last])).toHaveLength(200)
  expect(inUse).toBeLessThan(3_000_000)
})
