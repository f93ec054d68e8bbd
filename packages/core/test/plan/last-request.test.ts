import { expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { excerptsOf } from '../../src/plan/excerpts.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import { assistant, makeSession, user } from '../support/session.ts'

/** The words that have the room of the user's last message. */
function lastWordsOf(...texts: string[]): string[] {
  const session = makeSession(texts.flatMap((text) => [user(text), assistant('Done.')]))
  return [...excerptsOf(session, extractFacts(session), tiktokenCounter())]
    .flatMap(({ parts }) => parts)
    .filter(({ kind }) => kind === 'last-user')
    .map(({ text }) => text)
}

it('gives the room of the last message to the last message with a request', () => {
  expect(lastWordsOf('Sort the imports.', 'Now the exports.', 'Thanks!', '/exit')).toEqual([
    'Now the exports.',
  ])
  expect(lastWordsOf('Sort the imports.', 'yes')).toEqual(['yes'])
  expect(lastWordsOf('hello')).toEqual(['hello'])
})
