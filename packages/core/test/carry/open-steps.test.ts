import { describe, expect, it } from 'vitest'
import type { ContextBundle } from '../../src/bundle/schema.ts'
import { carryOver } from '../../src/carry/carry-over.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

const empty = {
  ...sampleBundle(),
  decisions: [],
  constraints: [],
  projectRules: [],
  openQuestions: [],
  nextSteps: [],
  workflow: { tasksCompleted: [], tasksRemaining: [], blockers: [] },
  plan: undefined,
  progress: undefined,
  trail: [],
}

/** What a session leaves open of an earlier one that left a step, or a question. */
function open(left: Partial<ContextBundle> | string, ...drafts: (EventDraft | EventDraft[])[]): string[] {
  const session = makeSession(drafts.flat())
  const parent = {
    ...empty,
    ...(typeof left === 'string' ? { nextSteps: [{ action: left, evidence: [] }] } : left),
  }
  return carryOver(parent, session, extractFacts(session), empty).items.map(({ text }) => text)
}

const edit = (path: string) => toolCall(path, 'Write', { file_path: path, content: 'x' })
const look = [
  user('Where were we?'),
  shell('s', 'git status', 'nothing to commit'),
  assistant('The kiln is wired; one question is open.'),
]
const check = { nextSteps: [{ action: 'Make it pass: npm test', command: 'npm test', evidence: [] }] }

describe('open work of an earlier session', () => {
  it.each([
    'Waits for an answer: should fire() throw on a cold kiln?',
    'add the fuse in src/fuse.ts, then run `npm test`.',
    'fire the kiln with `npm run fire -- k2`',
  ])('stays if the session only looked around: %s', (step) => {
    expect(open(step, ...look)).toEqual([step])
  })

  it('includes a failed check until it passes', () => {
    expect(open(check, ...look)).toEqual(['Make it pass: npm test'])
    const failed = shell('t', 'npm test', '1 failed', { status: 'error', exitCode: 1 })
    expect(open(check, user('Try it.'), failed, assistant('It still fails.'))).toHaveLength(1)
    expect(open(check, user('Try it.'), shell('t', 'npm test', 'ok'), assistant('It passes.'))).toEqual([])
    const chain = shell('t', 'cd kiln && npm test', 'ok')
    expect(open(check, user('Try it.'), chain, assistant('It passes.'))).toEqual([])
  })

  it('includes a question until it is answered', () => {
    const question = 'should fire() throw on a cold kiln, or wait?'
    const left = { openQuestions: [{ text: question, evidence: [] }] }
    expect(open(left, ...look)).toEqual([`Open question: ${question}`])
    expect(open(left, user('Let fire() throw.'), edit('/kiln/fire.ts'), assistant('It throws.'))).toEqual([])
    expect(open(`Waits for an answer: ${question}`, user('It shall wait.'), assistant('Good.'))).toEqual([])
  })

  it('includes a question although the user answered another one in the same words', () => {
    const left = 'Waits for an answer: Ready to implement?'
    const offer = [user('Draw the kiln.'), assistant('The kiln is drawn. Shall I implement the fuse?')]
    const said = user('yes, please implement')
    expect(open(left, ...offer, said, edit('/kiln/fuse.ts'), assistant('Done.'))).toEqual([left])
    expect(open(left, said, edit('/kiln/fuse.ts'), assistant('Done.'))).toEqual([])
  })

  it('is the task at which a session stopped, not the words that started it', () => {
    const stopped =
      'Continue: Change the glaze table. Asked for: 1 (the agent offered: by hand). Last: Editing.'
    expect(open(stopped, ...look)).toEqual(['Change the glaze table'])
    const replied =
      'Continue: Yes, glaze it (the agent offered: in blue). Since then: npm test passed. Not committed when it ended: a.ts. Last: Bash npm test (ok).'
    expect(open(replied, ...look)).toEqual(['Yes, glaze it (the agent offered: in blue)'])
  })

  it('has no comment of the code among its rules, and a wish for finished work once', () => {
    const rule = (text: string, source: string) => ({ text, source, evidence: ['e1' as const] })
    const demand = { as: 'constraint', text: "I'd like the icons as pngs.", from: 'b' } as const
    const never = { as: 'constraint', text: 'Never touch src/legacy.mjs.', from: 'b' } as const
    const left = {
      carried: [demand, never] as unknown as NonNullable<ContextBundle['carried']>,
      projectRules: [rule('Always use tabs.', 'CLAUDE.md'), rule('Always use the kiln.', 'src/kiln.ts')],
      constraints: [{ text: 'It must run on Node 20.', evidence: ['e1' as const] }],
    }
    const rules = ['Always use tabs. (from CLAUDE.md)']
    const own = 'It must run on Node 20.'
    expect(open({ ...left, state: 'finished' }, ...look)).toEqual([never.text, own, ...rules])
    expect(open({ ...left, state: 'in-progress' }, ...look)).toEqual([demand.text, never.text, own, ...rules])
  })

  it('ends with its command, its file and its command, or a message that it is done', () => {
    const fire = 'Next: fire kiln 2 with `npm run fire -- k2`'
    const ran = shell('f', 'npm run fire -- k2', 'fired')
    expect(open(fire, user('Go on, please.'), ran, assistant('Good.'))).toEqual([])
    expect(open(fire, user('Fire it.'), shell('f', 'ls', 'a'), assistant('Kiln 2 is fired: done.'))).toEqual(
      [],
    )
    expect(open(fire, user('Fire it.'), shell('f', 'ls', 'a'), assistant('Kiln 3 is fired: done.'))).toEqual([
      fire,
    ])
    const fuse = 'add the fuse in src/fuse.ts, then run `npm test`'
    const passed = shell('t', 'npm test', 'ok')
    expect(open(fuse, user('What fails?'), passed, assistant('Nothing.'))).toEqual([fuse])
    expect(open(fuse, user('Do it.'), edit('/kiln/src/fuse.ts'), passed, assistant('Ok.'))).toEqual([])
  })

  it('ends if the user only said to continue, and the session changed something and finished', () => {
    const step = 'Rework the glaze table'
    const done = [edit('/kiln/glaze.ts'), assistant('Ready.')]
    expect(open(step, user('continue'), ...done)).toEqual([])
    expect(open(step, user('Where were we?'), ...done)).toEqual([step])
  })
})
