import { expect, it } from 'vitest'
import { quotedTexts } from '../../src/brief/quoted-texts.ts'
import { atOnce } from '../../src/session/pauses.ts'

const quotedIn = atOnce(
  quotedTexts(
    ['Keep it simple for now.', 'keep it simple for ever', 'yes', 'Use `npm run check` first'].map(
      (text) => [text, text] as const,
    ),
  ),
)

it('finds the texts that another one holds word for word', () => {
  expect(quotedIn('- let us **keep it simple** for now | by: user [e64]')).toEqual([
    'Keep it simple for now.',
  ])
  expect(quotedIn('Then use npm run check first, and keep it simple for ever')).toEqual([
    'Use `npm run check` first',
    'keep it simple for ever',
  ])
})

it('does not take a few words, or the beginning of a word, for a quote', () => {
  expect(quotedIn('yes, keep it simple')).toEqual([])
  expect(quotedIn('keep it simple for nowadays')).toEqual([])
})
