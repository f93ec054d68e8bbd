import { expect, it } from 'vitest'
import { assembleBundle } from '../../src/assemble/assemble-bundle.ts'
import { identifierLister } from '../../src/assemble/identifier-list.ts'
import { emptySummary } from '../../src/bundle/section-contents.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { planBundle } from '../../src/plan/plan-bundle.ts'
import { atOnce } from '../../src/session/pauses.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import { assistant, makeSession, toolCall, user } from '../support/session.ts'

/** What is listed for a bundle that holds nothing of the session yet. */
function namesOf(made: ReturnType<typeof makeSession>): string[] {
  const session = { ...made, source: { ...made.source, sha256: 'a'.repeat(64) } }
  const plan = planBundle(session, extractFacts(session), { counter: tiktokenCounter() })
  const bundle = assembleBundle(
    plan,
    { summary: emptySummary(), summarizer: 'stub', calls: [], notes: [] },
    { now: new Date(0), random: () => 0 },
  )
  return atOnce(atOnce(identifierLister(plan))({ ...bundle, trail: [], identifiers: [], commands: [] }, 500))
}

it('lists names of the work, not the tools of the harness and their arguments', () => {
  const made = makeSession([
    user('Fire the kiln.'),
    ...toolCall('a', 'exec_command', { max_wait_ms: 10, cmd: 'heat fire_slowly' }, { text: 'fire_slowly' }),
    ...toolCall('b', 'TaskUpdate', { taskId: '1' }, { text: 'TaskUpdate: ok' }),
    assistant('I called exec_command with max_wait_ms and TaskUpdate; fire_slowly and `coolDown` are next.'),
    ...toolCall('c', 'exec_command', { max_wait_ms: 10, cmd: 'heat coolDown' }, { text: 'coolDown' }),
  ])
  const names = namesOf(made)
  expect(names).toEqual(expect.arrayContaining(['fire_slowly', 'coolDown']))
  expect(names).not.toEqual(expect.arrayContaining(['exec_command']))
  expect(names).not.toEqual(expect.arrayContaining(['TaskUpdate']))
  expect(names).not.toEqual(expect.arrayContaining(['max_wait_ms']))
})

it('lists an option that the agent used, not those in the banner of a program', () => {
  const banner = { text: 'kiln 4.1 built with --enable-lid --enable-slow --with-glaze' }
  const names = namesOf(
    makeSession([
      user('Fire the kiln.'),
      ...toolCall('a', 'Bash', { command: 'kiln --with-glaze bake' }, banner),
      ...toolCall('b', 'Bash', { command: 'kiln --with-glaze cool' }, banner),
    ]),
  )
  expect(names).toContain('--with-glaze')
  expect(names.filter((name) => name.startsWith('--enable'))).toEqual([])
})
