import { expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

const phaseOf = (...drafts: EventDraft[]) => extractFacts(makeSession(drafts)).phase
const edit = toolCall('e', 'Edit', { file_path: 'src/a.ts' })
const read = toolCall('r', 'Read', { file_path: 'src/a.ts' })
const go = user('Add a retry.')

it('the phase of work is given by the last action of the last turn', () => {
  expect(phaseOf(go, ...read)).toBe('research')
  expect(phaseOf(user('Review the change.'), ...read, assistant('Fine.'))).toBe('review')
  expect(phaseOf(go, ...read, ...edit, ...read)).toBe('implement')
  expect(phaseOf(go, ...edit, ...shell('1', 'npm test', 'ok'), ...read)).toBe('test')
  expect(phaseOf(go, ...edit, ...shell('1', 'git add . && git commit -m "x" && git log -1', 'ok'))).toBe(
    'release',
  )
  expect(phaseOf(go, ...toolCall('w', 'Write', { file_path: '/home/u/.agent/plans/retry.md' }))).toBe('plan')
})

it('the phase of work is given by the turn before if the last one only talked', () => {
  expect(
    phaseOf(go, ...edit, assistant('Done.'), user('Why a growing pause?'), assistant('Because of 429.')),
  ).toBe('implement')
})

it('a session without tools has no phase of work', () => {
  expect(phaseOf(go, assistant('A retry is simple.'))).toBeUndefined()
})
