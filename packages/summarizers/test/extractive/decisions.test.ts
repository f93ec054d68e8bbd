import { atOnce } from '@tenfold/core/internal/summarizer'
import type { TranscriptItem } from '@tenfold/core/summarizer'
import { emptyFacts } from '@tenfold/core/testing'
import { expect, it } from 'vitest'
import { decisionsOf } from '../../src/extractive/decisions.ts'

const item = (label: string, text: string): TranscriptItem => ({
  event: 'e2',
  agent: 'main',
  turn: 1,
  type: label === 'assistant' ? 'assistant' : label === 'Read' ? 'tool_call' : 'user',
  label,
  text,
})
const found = (label: string, text: string, maxTokens = 1000) =>
  atOnce(decisionsOf([item(label, text)], emptyFacts, maxTokens))
const choices = (label: string, text: string) => found(label, text).map(({ choice }) => choice)

it.each([
  ['should we use one parser for both clients?', 1],
  ["couldn't we look at both clients?", 0],
  ['the next problem is that the job only stores new lines instead of all of them', 0],
  ["let's get this committed and pushed", 0],
  ['We store prices as cents because floats lose pennies. Then show them.', 1],
  ['(entschieden mit Ana: ganze Cents, weil Floats Pfennige verlieren)', 1],
  ['Stop the server', 0],
  ['pull rebase first', 0],
  ["let's see the log first", 0],
  ['search for the error instead', 0],
  ['can you look up the docs and use only the official ones', 0],
  ['what happens when two sessions are open, only one or both?', 0],
  ['Only check the first file this time', 0],
  ['no remove that line', 0],
  ['we have a bunch of files in src that we only load once', 0],
  ["i don't think the parser works correctly", 0],
])('what the user says may be a choice, and is no errand, question or remark: %s', (text, count) => {
  expect(choices('user', text)).toHaveLength(count)
})

it('has its reason behind it, also after a label, and no mark of a picture', () => {
  expect(
    found('user', 'Storage of the orders: SQLite, because one file is enough. Add the tests.'),
  ).toMatchObject([{ choice: 'Storage of the orders: SQLite', rationale: 'one file is enough.' }])
  const [headed] = found(
    'assistant',
    'My recommendation: keep the cache in the session package for now since:',
  )
  expect(headed).toMatchObject({ choice: expect.stringContaining('keep the cache') })
  expect(headed?.rationale).toBeUndefined()
  expect(choices('user', 'keep the header over the whole width [1 image]')).toEqual([
    'keep the header over the whole width',
  ])
})

it('is kept in the shortest session, whatever room its summary has', () => {
  const text = 'Add the prices (decided with Ana: integer cents, not floats, because floats lose pennies).'
  expect(found('user', text, 5)).toMatchObject([
    { choice: expect.stringContaining('integer cents, not floats') },
  ])
})

it('takes the place of an earlier one under the same label', () => {
  expect(choices('assistant', '**Framework**: Slip or Glaze\n\n**Framework**: Kiln 2')).toEqual(['Kiln 2'])
})
