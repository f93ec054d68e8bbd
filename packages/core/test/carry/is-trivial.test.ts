import { expect, it } from 'vitest'
import { isTrivial } from '../../src/carry/is-trivial.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { assistant, makeSession, user } from '../support/session.ts'

function isIt(...drafts: EventDraft[]): boolean {
  const session = makeSession(drafts)
  const bundle = sampleBundle({ state: 'finished', decisions: [], constraints: [] })
  return isTrivial({ session, facts: extractFacts(session), bundle })
}

it('a greeting leaves nothing to remember, unless the log begins with a summary of the work before', () => {
  const greeting = [user('hello'), assistant('Hello! How can I help?')]
  expect(isIt(...greeting)).toBe(true)
  expect(isIt({ type: 'compaction', text: '## Goal\nMove the lamp.' }, ...greeting)).toBe(false)
  expect(isIt({ type: 'compaction', text: '' }, ...greeting)).toBe(true)
})
