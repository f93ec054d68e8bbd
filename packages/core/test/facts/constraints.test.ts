import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'
import { assistant, makeSession, toolCall, user } from '../support/session.ts'

const constraintsIn = (...drafts: EventDraft[]) => extractFacts(makeSession(drafts)).constraints
const textsOf = (text: string) => constraintsIn(user(text)).map((constraint) => constraint.text)

describe('constraints', () => {
  it.each([
    ['Draw the lid again. Should open to the right.', 'Draw the lid again. Should open to the right.'],
    ['Here is the lid:\n\n```\nlid\n```\nIt must stay closed.', 'It must stay closed.'],
    ['The lid is fine. Never paint the door.', 'Never paint the door.'],
  ])('include the sentence that they depend on: %s', (text, constraint) => {
    expect(textsOf(text)).toEqual([constraint])
  })

  it.each(['', 'x'])(
    'of more than 400 characters are cut between whole characters, after %j too',
    (shift) => {
      const [text = ''] = textsOf(`Never push to main${shift} ${'𝐱'.repeat(400)}.`)
      expect(text.length).toBeGreaterThan(398)
      expect(text.isWellFormed()).toBe(true)
    },
  )

  it.each<[string, string[]]>([
    ['Fix the login. You must not touch the database! Thanks.', ['You must not touch the database!']],
    ['Never push to main.', ['Never push to main.']],
    ['please don’t add a dependency', ['please don’t add a dependency']],
    [
      '- always run `npm test`\n- nice work\n2. use pnpm instead of npm',
      ['always run `npm test`', 'use pnpm instead of npm'],
    ],
    ['The file must be kept, e.g. as a backup. Fine.', ['The file must be kept, e.g. as a backup.']],
    ['It must be small,\nat most\n300 lines.', ['It must be small, at most 300 lines.']],
    ['What does it do?', []],
    ['Should we use Redis?', []],
    ['Can you make sure that it builds?', ['Can you make sure that it builds?']],
    ['Ok, go on.', []],
    ['I want both.', []],
    ['yes, make a new branch, make meaningful commits', ['yes, make a new branch, make meaningful commits']],
    ["Yes - I'd like the page to show drafts.", ["Yes - I'd like the page to show drafts."]],
    ['Run the tests by calling make directly.', ['Run the tests by calling make directly.']],
    ['Do them one at a time.', ['Do them one at a time.']],
    ["I don't like the rows to have turns.", ["I don't like the rows to have turns."]],
    ["I don't like it.", []],
    ['This repo will bounce between two teams.', ['This repo will bounce between two teams.']],
    ['The tool is now called Ladle.', ['The tool is now called Ladle.']],
    ["I'd like to see the log.", []],
    ['Yes, and always make small commits.', ['Yes, and always make small commits.']],
    ["Yes, but don't amend commits.", ["Yes, but don't amend commits."]],
    ['Use British spelling in the labels, please.', ['Use British spelling in the labels, please.']],
    ['We have no intention of supporting plugins.', ['We have no intention of supporting plugins.']],
    ['A comment on sort ("callers should copy the rows', []],
    ['He wrote “it must be “', []],
    ['Não altere a API pública.', ['Não altere a API pública.']],
    ['No uses librerías nuevas.', ['No uses librerías nuevas.']],
    ['Il ne faut pas changer le schéma.', ['Il ne faut pas changer le schéma.']],
    ['Bitte niemals direkt auf main pushen.', ['Bitte niemals direkt auf main pushen.']],
    ['请修复登录。不要修改数据库！谢谢。', ['不要修改数据库！']],
    ['必ずテストを書いてください。ありがとう。', ['必ずテストを書いてください。']],
    ['반드시 테스트를 작성하세요.', ['반드시 테스트를 작성하세요.']],
    ['Только не меняй схему.', ['Только не меняй схему.']],
  ])('are found in %j if it has any', (text, expected) => {
    expect(textsOf(text)).toEqual(expected)
  })

  it.each([
    'Fass config/prod.env niemals an.',
    'Die Kommentare im Code bleiben bitte auf Deutsch.',
    'Commit-Nachrichten bitte auf Englisch.',
    'Comments stay in English, please.',
    'Utilize pnpm for everything.',
    'Do not commit yet.',
  ])('are recognized: %s', (rule) => {
    expect(textsOf(`Please add the price list. ${rule}`)).toEqual([rule])
  })

  it.each([
    'Aber das machen wir erst morgen; jetzt nur die Typen in src/types.d.ts.',
    'Only the types for now.',
    'Only check the first file this time.',
    "Let's only do step 1 today.",
    'then i want a button for the export',
  ])('are not recognized: %s', (request) => {
    expect(textsOf(`Please add the price list. ${request}`)).toEqual([])
  })

  const lifts = [
    'You may use lodash from now on, that rule is gone.',
    'Forget what I said about lodash.',
    'lodash is fine now.',
    "It's okay to use lodash again.",
    'The rule about lodash no longer applies.',
    'You can ignore the lodash rule.',
    'I changed my mind about lodash, use it where it helps.',
    'Drop the lodash restriction.',
    'You no longer need to avoid lodash.',
    'lodash is no longer forbidden.',
    'Scrap the rule about lodash.',
    "We're allowed to use lodash now.",
    'Never mind the lodash ban.',
    'lodash ist jetzt wieder erlaubt.',
  ]
  it.each(['Never use lodash, only native code.', 'Never use lodash.'])(
    'end when a plain sentence takes them back: %s',
    (rule) => {
      const held = lifts.filter((lift) => constraintsIn(user(rule), user(lift)).length > 0)
      expect(held).toEqual([])
      const other = ['Use lodash only in tests.', 'You may use axios from now on.', 'Is lodash allowed?']
      for (const words of [...other, 'The lodash rule still holds.', 'Forget the tests for now.'])
        expect(constraintsIn(user(rule), user(words)).map(({ text }) => text)).toContain(rule)
    },
  )

  it('leave out code and pasted output', () => {
    const text = [
      'Look at this:',
      '```',
      'you must never see this',
      '```',
      '  at mustFail (/a/b.js:1:2)',
      '{"must": "never"}',
      '2026-01-01T10:00:00 ERROR must not happen',
      '+const never = must(only);',
      'src/a.ts:1:2: must be a string',
      'It must stay fast.',
    ].join('\n')
    expect(textsOf(text)).toEqual(['It must stay fast.'])
  })

  it('come from user messages alone, each once, with their first event', () => {
    const context: EventDraft = { type: 'context', origin: 'system', text: 'You must obey.' }
    const copied: EventDraft = { type: 'user', origin: 'typed', text: 'Never copy.', copied: true }
    const undone: EventDraft = { type: 'user', origin: 'typed', text: 'Never undo.', inContext: false }
    expect(
      constraintsIn(context, copied, undone, user('Never push.'), user('never push.'), user('Always test.')),
    ).toEqual([
      { text: 'Never push.', event: 'e4' },
      { text: 'Always test.', event: 'e6' },
    ])
  })

  it('are listed once if a later one contains them or has the same words, but not if it names another thing', () => {
    const texts = (...said: string[]) =>
      extractFacts(makeSession(said.map((text) => user(text)))).constraints.map(({ text }) => text)
    const first = 'Never edit the schema of packages/oven/index.ts by hand.'
    const again = 'Please never edit by hand the schema of packages/oven/index.ts!'
    expect(texts(first, again)).toEqual([again])
    const other = first.replace('oven', 'kiln')
    expect(texts(first, other)).toEqual([first, other])
    const [broad, narrow] = ['Never touch the oven.', 'Never touch the oven door.']
    expect(texts(broad, narrow)).toEqual([broad, narrow])
  })

  it('come from the agent that gave the task if no user typed anything', () => {
    const task: EventDraft = { type: 'context', origin: 'agent', name: 'task', text: 'Do not commit.' }
    expect(constraintsIn(task)).toEqual([{ text: 'Do not commit.', event: 'e1' }])
    expect(constraintsIn(task, user('go on'))).toEqual([])
  })

  it.each([
    'Comments are in plain English.',
    'Our branch names start with the ticket.',
    'Tests live next to their modules.',
    'Migrations are never edited after a merge.',
    'Commit-Messages schreiben wir auf Englisch.',
    'On ne force-push jamais ici.',
    'Los comentarios van en español.',
    'Niente commit diretti su main.',
    'Мы не используем ORM.',
    'コメントは日本語で書きます。',
    '我们从不直接推送。',
    '주석은 영어로 씁니다.',
  ])('are plain statements about how things are done: %s', (text) => {
    expect(textsOf(text)).toEqual([text])
  })

  it.each([
    'No tests failed.',
    'Tests are green now.',
    'Migrations have run.',
    'The docs are in the wrong folder.',
    'Components get rendered twice.',
    'We never got an answer.',
    'Keine Fehler im Log.',
    'Die Commits sind alle da.',
    'Les commits sont prêts.',
    'Мы не видим ошибки.',
    'コメントが表示されません。',
  ])('are not reports: %s', (text) => {
    expect(textsOf(text)).toEqual([])
  })

  it.each([
    ['Steps to reproduce:', ''],
    ['**To reproduce the bug**', ''],
    ['Schritte zum Reproduzieren:', ''],
    ['再現手順:', ''],
    ['The export crashes.', '\nExpected: a message\nActual: a crash'],
  ])('are not steps that reproduce a fault: %s', (above, below) => {
    const text = `${above}\n1. Never accept cookies\n2. Do not log in\n3. Only press Save${below}\n\nNever push.`
    expect(textsOf(text)).toEqual(['Never push.'])
  })

  it('exclude sentences that only sound like a demand', () => {
    const { constraints, constraintCandidates } = extractFacts(
      makeSession([user('Why must it wait? Never block.')]),
    )
    expect(constraints).toEqual([{ text: 'Never block.', event: 'e1' }])
    expect(constraintCandidates).toEqual([
      { text: 'Why must it wait?', event: 'e1', refused: 'question' },
      { text: 'Never block.', event: 'e1' },
    ])
  })

  it('repeat the title of a list that forbids', () => {
    expect(textsOf('Do not:\n- trust the report\n- add files')).toEqual([
      'Do not: trust the report',
      'Do not: add files',
    ])
  })

  it('exclude steps of the work in a list of constraints', () => {
    expect(textsOf('Constraints:\n- Add a flag for it\n- Node 22 or later')).toEqual(['Node 22 or later'])
  })

  it('are cut around the cue if they are long', () => {
    const [text = ''] = textsOf(`${'word '.repeat(200)}, never push ${'word '.repeat(200)}`)
    expect(text.length).toBeLessThanOrEqual(400)
    expect(text).toContain('never push')
  })

  it('are found quickly in long lines', async () => {
    await expectCpuBelow(5000, () => {
      textsOf('a. '.repeat(100_000))
      textsOf('must '.repeat(100_000))
      textsOf(`${'x'.repeat(1_000_000)}\n${'. '.repeat(100_000)}`)
    })
  })

  it.each([
    ['Keep all existing stages aligned with POT Codex and AOS', 'Ensure it aligns with POT Codex and AOS.'],
    ['Die Stufen in `lid.ts` müssen zu AOS passen.', '`lid.ts` muss zu AOS passen.'],
    ['Нельзя менять старый `lid.ts` и `pot.ts` вручную.', 'Нельзя менять `lid.ts` вручную.'],
  ])('are listed once if an earlier one includes them: %s', (first, again) => {
    expect(constraintsIn(user(first), user(again)).map(({ text }) => text)).toEqual([first])
  })

  it('stay separate if one has a word that the other lacks', () => {
    const rules = ['The list must show the author of `lid.ts`.', 'The page must show the author of `lid.ts`.']
    expect(constraintsIn(...rules.map((rule) => user(rule))).map(({ text }) => text)).toEqual(rules)
    const opposite = ['Never edit the old `lid.ts` file.', 'Always edit the old `lid.ts` file by hand.']
    expect(constraintsIn(...opposite.map((rule) => user(rule))).map(({ text }) => text)).toContain(
      opposite[1],
    )
  })

  it('do not include the title of an issue, which is the task', () => {
    const story = 'The oven reports its heat as a text. '.repeat(20)
    expect(textsOf(`The lid should be optional for small pots\n${story}`)).toEqual([])
    expect(textsOf(`The lid should be optional for small pots\n${story}\nThe pot must stay round.`)).toEqual([
      'The pot must stay round.',
    ])
    expect(textsOf(`Never paint the lid\n${story}`)).toEqual(['Never paint the lid'])
  })

  it('of a task are each listed once, however they are worded', () => {
    const task = (text: string): EventDraft => ({ type: 'context', origin: 'agent', name: 'task', text })
    const texts = constraintsIn(
      task('You own only `lid.ts`. Do not edit README or any other file. Do not commit.'),
      task('Keep ownership limited to `lid.ts`. Do not edit other files and do not commit.'),
      task('Keep ownership limited to that file. Do not commit secrets. Do not push.'),
    ).map(({ text }) => text)
    expect(texts).toEqual([
      'You own only `lid.ts`.',
      'Do not edit README or any other file.',
      'Do not commit.',
      'Do not commit secrets.',
      'Do not push.',
    ])
  })

  const done = (text: string, words: string) =>
    constraintsIn(
      user('Draw the kiln.'),
      user(text),
      ...toolCall('c1', 'Edit', { file_path: '/w/lid.ts', new_string: words }),
      user('Now the door.'),
    ).map((each) => each.text)

  it('of a turn that wrote what they name are done, and others are not', () => {
    expect(done('Make sure lidText is also used.', 'draw(lidText)')).toEqual([])
    expect(done('Make sure lidText is also used.', 'draw(text)')).toEqual(['Make sure lidText is also used.'])
    expect(done('Make sure all tabs use lidText.', 'draw(lidText)')).toHaveLength(1)
    expect(done('Do not use lidText.', 'draw(lidText)')).toHaveLength(1)
  })

  it('do not say how to use the tools of a harness', () => {
    expect(
      textsOf('Never ask for human help. Do not touch the tests. You should indent your edit commands.'),
    ).toEqual(['Do not touch the tests.'])
  })

  it('are not corrections of the moment, nor the task that opens the session', () => {
    expect(textsOf('Draw the lid.\n\nNo, the lid should stay as is.')).toEqual([])
    expect(textsOf('What is the lid using? Should be dimmer.')).toEqual([])
    expect(textsOf('I want to use a bolt to close the lid.')).toEqual([])
    expect(constraintsIn(user('The lid must be red.'), user('yeah you can undo that'))).toEqual([])
  })

  const wanted = [
    'Draw the lid. It should open to the right. Never paint the door.',
    'The hinges must be of brass. Keep the lid red. Run the tests with bun, not npm.',
    'Only paint the lid when every test is green. I want a lid of wood. We want screws.',
  ].join('\n')

  it('of done work are not wishes, nor comments on what was just requested', () => {
    expect(constraintsIn(user(wanted), assistant('The lid is drawn.')).map(({ text }) => text)).toEqual([
      'Never paint the door.',
      'The hinges must be of brass.',
      'Keep the lid red.',
      'Run the tests with bun, not npm.',
      'Only paint the lid when every test is green.',
      'We want screws.',
    ])
  })

  it('of a request that the next one takes back hold no longer', () => {
    const after = (...texts: string[]) => constraintsIn(...texts.map(user)).map(({ text }) => text)
    const copied = 'The lid must be copied to its own folder.'
    expect(after('Never paint the door.', copied, 'actually, can you revert that? Move it.')).toEqual([
      'Never paint the door.',
    ])
    expect(after(copied, 'Remove that screw from the lid.')).toEqual([copied])
  })
})
