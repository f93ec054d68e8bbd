import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../../src/facts/extract-facts.ts'
import { makeSession, user } from '../../support/session.ts'

const held = (...texts: string[]) =>
  extractFacts(makeSession(texts.map((text) => user(text)))).constraints.map(({ text }) => text)

describe('a rule', () => {
  it.each<[string, string]>([
    ["Don't commit yet.", 'commit it'],
    ["Don't commit yet.", 'now commit and push'],
    ['Never push to main.', 'you can push to main now'],
    ['Do not touch the tests.', 'ok you can touch the tests now'],
    ["Don't add dependencies.", 'feel free to add dependencies'],
    ['Never add a dependency.', 'You can add dependencies from now on.'],
    ['Never add a dependency.', 'Forget the rule about dependencies, papaparse is fine.'],
    ['Never add a dependency.', 'The no-dependency rule is gone.'],
    ['Ändere niemals die Tabelle.', 'Die Regel zur Tabelle ist aufgehoben.'],
    ['Do not push to main.', 'ok push to main now'],
    ['Do not edit README.', 'Please edit README and add a badge.'],
    ['Keep the docs in English.', 'you no longer need to keep the docs in English'],
    ['Always use yarn.', 'actually forget that'],
    ['Bitte committe noch nicht.', 'Du kannst jetzt committen.'],
    ['不要提交', '现在可以提交了'],
  ])('%j ends with %j', (rule, later) => {
    expect(held(rule)).toEqual([rule])
    expect(held(rule, later)).toEqual([])
  })

  it.each<[string, string]>([
    ['Use npm for everything.', 'use pnpm instead of npm'],
    ['The list must hold 20 rows.', 'The list must hold 50 rows.'],
    ['Do not use semicolons.', 'Always use semicolons.'],
    ['Always use semicolons.', "Don't use semicolons."],
  ])('%j gives way to %j', (rule, later) => {
    expect(held(rule, later)).toEqual([later])
  })

  it.each<[string, string]>([
    ["Don't commit yet.", 'show me the diff'],
    ['Never push to main.', 'push to the feature branch'],
    ['Never push to main.', 'push to main'],
    ['Do not touch the tests.', 'can you touch the tests?'],
    ['Keep the sidebar on the left.', 'fix the sidebar'],
    ['Never write to vendor/cache-17 by hand.', 'Read vendor/cache-18.'],
    ['Keep it under 100 lines.', 'forget about the tests'],
  ])('%j holds after %j', (rule, later) => {
    expect(held(rule, later)).toContain(rule)
  })

  it('stays in force if the revocation names something else', () => {
    const rules = ['Never write to vendor/cache-17.', 'Never write to vendor/cache-18.']
    expect(held(...rules)).toEqual(rules)
  })

  it('is only the last one if the user takes back one', () => {
    expect(held('Always use yarn.\nKeep the header.', 'scratch that.')).toEqual(['Always use yarn.'])
  })

  it('applies again if it is repeated', () => {
    expect(held('Never push to main.', 'you can push to main now', 'Never push to main.')).toEqual([
      'Never push to main.',
    ])
  })

  it('is reported as lifted', () => {
    const { constraintCandidates } = extractFacts(
      makeSession([user('Never push to main.'), user('you can push to main now')]),
    )
    expect(constraintCandidates).toEqual([{ text: 'Never push to main.', event: 'e1', refused: 'lifted' }])
  })
})
