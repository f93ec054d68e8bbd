import { describe, expect, it } from 'vitest'
import { rulesText } from '../../src/model/rules-text.ts'
import { modelRequestFor } from '../../src/model/summary-call.ts'
import { dataOf } from './support/fake-model.ts'
import { byteCounter, factsOf, itemOf, requestOf, workRequest } from './support/request.ts'

const projectRules = [
  { text: 'Never push.', source: 'CLAUDE.md', event: 'e3' as const },
  { text: 'Bump the manifest.', source: 'issue 12', event: 'e5' as const },
  { text: 'Sort\nimports.', source: 'CLAUDE.md', event: 'e9' as const },
]
const facts = factsOf({ projectRules })

describe('rulesText', () => {
  it('lists the rules with ids below their sources, all quoted', () => {
    expect(rulesText(facts, { maxTokens: 500, counter: byteCounter })).toBe(
      [
        '| from CLAUDE.md:',
        '| r1 e3 Never push.',
        '| r3 e9 Sort imports.',
        '| from issue 12:',
        '| r2 e5 Bump the manifest.',
      ].join('\n'),
    )
  })

  it('lists comments of code after documents, issues and hooks', () => {
    const comment = { text: 'Never log keys.', source: 'src/kiln.ts', event: 'e2' as const }
    const text = rulesText(factsOf({ projectRules: [comment, ...projectRules] }), {
      maxTokens: 500,
      counter: byteCounter,
    })
    expect(text).toMatch(
      /^\| from CLAUDE\.md:\n\| r1 e3 [\s\S]*\n\| from src\/kiln\.ts:\n\| r4 e2 Never log keys\.$/,
    )
  })

  it('lists the most specific rules that fit, and counts the rest', () => {
    const text = rulesText(facts, { maxTokens: 12, counter: byteCounter })
    expect(text).toBe('| from CLAUDE.md:\n| r1 e3 Never push.\n(2 more)')
  })

  it('keeps the ids of a rule in a part of the session', () => {
    const text = rulesText(facts, { maxTokens: 500, counter: byteCounter, within: (event) => event === 'e5' })
    expect(text).toBe('| from issue 12:\n| r2 e5 Bump the manifest.')
  })

  it('has its own place in a request, apart from the facts', () => {
    const request = modelRequestFor(workRequest({ facts: { projectRules } }), {
      counter: byteCounter,
      maxOutputTokens: 1000,
    })
    expect(dataOf(request, 'rules')).toContain('| r1 e3 Never push.')
    expect(dataOf(request, 'facts')).not.toContain('Never push.')
  })

  it('has no place in a request without rules', () => {
    const request = modelRequestFor(requestOf([itemOf(1, 'user', 'x')]), {
      counter: byteCounter,
      maxOutputTokens: 1000,
    })
    expect(request.messages[0]?.text).not.toContain('BEGIN rules')
  })
})
