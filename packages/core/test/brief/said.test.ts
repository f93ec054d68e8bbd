import { expect, it } from 'vitest'
import { collectSaid } from '../../src/brief/said.ts'

const said = collectSaid()
said.add('- let us **keep it simple** for now, and run `npm run check` first | by: user [e64]')
said.add('- yes')

it.each([
  'Keep it simple for now.',
  '- [ ] Keep it simple for now | on: scope | by: agent [e7 e9]',
  'Outcome (e70): run npm run check first',
  'Keep it simple for now, and run `npm r …',
  '- yes',
])('finds verbatim repetitions of a text: %s', (text) => {
  expect(said.has(text)).toBe(true)
})

it.each([
  'yes',
  'for now',
  'keep it simple for nowadays',
  'run npm run check first, then push',
  'e64 user: keep it simple for now',
])('does not treat a few words, the beginning of a word or a longer text as a repetition: %s', (text) => {
  expect(said.has(text)).toBe(false)
})
