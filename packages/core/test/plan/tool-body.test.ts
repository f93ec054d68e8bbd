import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { trailFiller } from '../../src/plan/fill.ts'
import { planBundle } from '../../src/plan/plan-bundle.ts'
import { toolTarget } from '../../src/plan/tool-line.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { atOnce } from '../../src/session/pauses.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import { assistant, makeSession, toolCall, user } from '../support/session.ts'

const counter = tiktokenCounter()

/** The trail of a session at an unlimited budget. */
function trailText(drafts: EventDraft[]): string {
  const session = makeSession([user('go'), ...drafts, assistant('done')])
  const plan = planBundle(session, extractFacts(session), { counter })
  return atOnce(trailFiller(plan.excerpts, counter, plan.scoreSentence)(Number.POSITIVE_INFINITY))
    .map(({ text }) => text)
    .join('\n')
}

const edit = (input: unknown): EventDraft[] => [
  { type: 'tool_call', callId: '1', name: 'editor', kind: 'edit', input },
  { type: 'tool_result', callId: '1', status: 'ok', text: '' },
]

describe('an edit', () => {
  it('is shown by the lines that it changed', () => {
    const old_str = 'server:\n  host: local\n  port: 8080\n  log: on'
    const text = trailText(edit({ path: 'a.yaml', old_str, new_str: old_str.replace('8080', '9090') }))
    expect(text).toContain('port: 9090')
    expect(text).not.toContain('host: local')
  })

  it('is shown by the lines that it removed, if it only removed some', () => {
    const input = { path: 'a.ts', old_str: 'one()\ntwo()\nthree()', new_str: 'one()\nthree()' }
    const text = trailText(edit(input))
    expect(text).toContain('removed:\ntwo()')
    expect(text).not.toContain('three()')
  })
})

it.each<[string, unknown]>([
  ['OpenHands', { command: 'create', path: 'a.ts', file_text: 'NEW' }],
  ['Anthropic', { command: 'str_replace', path: 'a.ts', old_str: 'x', new_str: 'NEW' }],
  ['opencode', { filePath: 'a.ts', oldString: 'x', newString: 'NEW' }],
  ['pi', { path: 'a.ts', edits: [{ oldText: 'x', newText: 'NEW' }] }],
  ['Cline', { path: 'a.ts', old_text: 'x', new_text: 'NEW' }],
  ['Cursor', { path: 'a.ts', contents: 'NEW' }],
  ['SWE-agent', { path: 'a.ts', command: 'edit 1:2\nNEW\nend_of_edit' }],
])('shows the new text and the file of an edit by %s', (_, input) => {
  const text = trailText(edit(input))
  expect(text).toContain('NEW')
  expect(text.split('\n')[1]).toMatch(/^a\.ts/)
})

it('names the files of a patch, no matter what the field is called', () => {
  const patchText = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** End Patch'
  const [call] = makeSession(toolCall('1', 'apply_patch', { patchText })).events
  expect(call?.type === 'tool_call' && toolTarget(call, undefined)).toBe('update src/a.ts')
})

it('names the file of a line that has no room for its path', () => {
  const path = `/srv/${'some-long-folder/'.repeat(12)}cart-totals.ts`
  const session = makeSession([user('go'), ...edit({ path, new_str: 'x' }), assistant('done')])
  const plan = planBundle(session, extractFacts(session), { counter, minSourceTokens: 0 })
  const trail = atOnce(trailFiller(plan.excerpts, counter, plan.scoreSentence)(40))
  expect(trail.find(({ label }) => label === 'editor')?.text).toContain('…/cart-totals.ts')
})
