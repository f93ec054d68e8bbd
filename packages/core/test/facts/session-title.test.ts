import { describe, expect, it } from 'vitest'
import { sessionTicket, sessionTitle, shortTitle } from '../../src/facts/session-title.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

const titleOf = (...drafts: EventDraft[]) => sessionTitle(makeSession(drafts))
const plan: EventDraft = {
  type: 'context',
  origin: 'harness',
  name: 'plan',
  text: '# Rewire the kiln\n\n1. Cut',
}

describe('the title of a session', () => {
  it('is the one that its agent gave it', () => {
    const given = (title: string) => sessionTitle(makeSession([user('Wire the kiln.')], { title }))
    expect(given(' Kiln\nwiring ')).toBe('Kiln wiring')
    expect(given('Pick up where we left off')).toBe('Wire the kiln')
    expect(given('{"title":"Kiln"}')).toBe('Wire the kiln')
    expect(given(`Kiln ${'wiring '.repeat(20)}`)?.length).toBeLessThanOrEqual(60)
  })

  it.each([
    [['Can you please wire the kiln to the mains? Then fire it.'], 'Wire the kiln to the mains'],
    [
      ['hello', 'Where were we?', 'continue', 'Wire the kiln to the mains.', 'commit it'],
      'Wire the kiln to the mains',
    ],
    [['/orchestrator create a kiln in Rust'], 'Create a kiln in Rust'],
    [['/init'], '/init'],
    [
      ['can you look at\n\n  - docs/kiln.md\n  - docs/lid.md\n\nand wire both of them'],
      'Look at docs/kiln.md, docs/lid.md and wire both of them',
    ],
    [['docs/kiln.md and wire it to the mains'], 'docs/kiln.md and wire it to the mains'],
    [['/add **', 'Wire the kiln to the mains.'], 'Wire the kiln to the mains'],
    [['Good morning Claude. Wire the kiln to the mains.'], 'Wire the kiln to the mains'],
    [['I have a kiln that stays cold. Can you wire it to the mains?'], 'Wire it to the mains'],
    [['Do not ask me. Read kiln.ts in full. Wire the lid to the mains.'], 'Wire the lid to the mains'],
    [['Read kiln.ts in full.'], 'Read kiln.ts in full'],
    [['/check-kiln 244', 'Mend the first point of the list.'], '/check-kiln 244'],
    [
      ['Message Type: NEW_TASK\nTask name: /root/kiln\nPayload:\nWire the kiln to the mains.'],
      'Wire the kiln to the mains',
    ],
    [
      [
        'Read @packages/kiln/src/main.ts and [lid.ts](src/lid.ts), see https://example.org/kilns/issue/12/lids',
      ],
      'Read main.ts and lid.ts, see lids',
    ],
    [['/clear', '/exit', 'Sort the glazes by name.'], 'Sort the glazes by name'],
    [['Implement the following plan:\n\n# Plan: Rewire the kiln\n\n1. Cut'], 'Rewire the kiln'],
    [['請幫我檢查窯的溫度設定'], '檢查窯的溫度設定'],
    [
      [`Wire the ${'very '.repeat(30)}hot kiln.`],
      'Wire the very very very very very very very very very very…',
    ],
  ])('is made of %j', (requests, title) => {
    expect(titleOf(...requests.flatMap((text) => [user(text), assistant('Good.')]))).toBe(title)
  })

  it('is that of a plan that follows the request', () => {
    expect(titleOf(user('Implement the following plan:'), plan)).toBe('Rewire the kiln')
    const assessment = { ...plan, text: '# Assessment: Heat of the kiln\n\nIt is cold.' }
    expect(titleOf(user('Implement the following plan:'), assessment)).toBe('Heat of the kiln')
  })

  it('is the request in the prompt of a command or of a subagent', () => {
    const prompt = (text: string): EventDraft => ({ type: 'context', origin: 'harness', name: 'meta', text })
    const init = prompt(
      'Please look through this pottery and create a KILN.md file, which the next potters read.',
    )
    expect(titleOf(user('/init'), init)).toBe('Look through this pottery and create a KILN.md file…')
    expect(titleOf(user('/glaze'), prompt('Base directory for this skill: /kiln'))).toBe('/glaze')
    const task: EventDraft = { type: 'context', origin: 'agent', name: 'task', text: 'Review the kiln.' }
    expect(sessionTitle(makeSession([task], { branch: 'fix/lid-stays-cold' }))).toBe('Review the kiln')
  })

  it.each([
    ['Push and open a PR', 'ana/kiln-12-log-the_heat-curve', 'KILN-12: log the heat curve'],
    ['Why is the lid cold?', 'fix/lid-stays-cold', 'Lid stays cold'],
    ['I have added a lid to the kiln.', 'add-kiln-lid', 'Add kiln lid'],
    ['I have added a lid to the kiln.', 'main', 'I have added a lid to the kiln'],
    ['Why is the lid cold?', 'dependabot/npm/lid-deps-80b3', 'Why is the lid cold?'],
    ['Can you wire the kiln to the mains?', 'fix/lid-stays-cold', 'Wire the kiln to the mains'],
    ['Review kiln.ts for leaks', 'fix/lid-stays-cold', 'Review kiln.ts for leaks'],
    ['This bit seems quite crooked.', 'kiln-12-cold-lid', 'KILN-12: cold lid'],
    ['Looking at lid.ts, it has two hinges.', 'main', 'Looking at lid.ts, it has two hinges'],
    ['/review 12', 'fix/lid-stays-cold', 'Lid stays cold'],
  ])('is for the request "%s" on %s: %s', (request, branch, title) => {
    expect(sessionTitle(makeSession([user(request)], { branch }))).toBe(title)
  })

  it('is that of a pull request, a plan or a commit if the request says little', () => {
    const asked = (...more: EventDraft[]) => titleOf(user('The lid of the kiln is cold.'), ...more)
    const committed = [
      ...shell('c0', 'git merge kiln', '[main 0a2b3c4] Merge branch kiln'),
      ...shell('c1', 'git commit -F-', '[main 1a2b3c4] Wire the lid to the mains\n 1 file changed'),
    ]
    expect(asked(...committed)).toBe('Wire the lid to the mains')
    const content = '# Implementation Plan: Heat curves of the lid\n\nFirst, measure.'
    const planned = toolCall('p1', 'Write', { file_path: 'docs/plans/2026-lid.md', content })
    expect(asked(...planned, ...committed)).toBe('Heat curves of the lid')
    expect(asked(...toolCall('p2', 'Write', { file_path: 'docs/planets.md', content }))).not.toContain(
      'curves',
    )
    const opened = shell('c2', 'gh pr create --title "Heat the lid evenly" --body x')
    expect(asked(...planned, ...committed, ...opened)).toBe('Heat the lid evenly')
    expect(asked()).toBe('The lid of the kiln is cold')
  })

  it('is the request behind one that only asks to read something', () => {
    expect(titleOf(user('Read kiln.md in full.'), user('Wire the lid to the mains.'))).toBe(
      'Wire the lid to the mains',
    )
    expect(titleOf(user('We need to do this task:\n\n"Then, wire the lid to the mains."'))).toBe(
      'Wire the lid to the mains',
    )
  })

  it('is absent if nobody asked for anything', () => {
    expect(titleOf(assistant('Hello.'))).toBeUndefined()
    expect(shortTitle('')).toBeUndefined()
  })
})

describe('the ticket of a session', () => {
  it.each([
    ['[TASK-42] (FTR-007): We need a retry in src/up.ts.', 'TASK-42'],
    ['Please go on with ENT-109 (linear), whose plan is in docs/ENT-12.md.', 'ENT-109'],
    ['Compare AUTH-7 with AUTH-8.', undefined],
    ['Read the log as UTF-8, and name CVE-2024-1234 in the notes.', undefined],
    ['Rename src/AUTH-7/main.ts to AUTH-7.ts', undefined],
    ['Fix the login.', undefined],
  ])('of %j is %j', (request, ticket) => {
    const session = makeSession([user('hello'), assistant('Hello.'), user(request), user('Then AUTH-9.')])
    expect(sessionTicket(session)).toBe(ticket)
  })
})
