import { describe, expect, it } from 'vitest'
import { plainLabel } from '../../src/facts/answers/offered-options.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft, ToolResultEvent } from '../../src/session/event.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'
import { assistant, makeSession, toolCall, user } from '../support/session.ts'

function asked(
  name: string,
  input: unknown,
  text?: string,
  status: ToolResultEvent['status'] = 'ok',
): EventDraft[] {
  const call: EventDraft = { type: 'tool_call', callId: 'c', name, kind: 'other', input }
  return text === undefined ? [call] : [call, { type: 'tool_result', callId: 'c', status, text }]
}

const answersOf = (...drafts: EventDraft[]) => extractFacts(makeSession(drafts)).answers
const shortOf = (...drafts: EventDraft[]) =>
  answersOf(...drafts).map(({ question, answer, chosen }) => [
    question,
    answer,
    chosen.map(({ label }) => label),
  ])

const store = {
  question: 'Which store?',
  header: 'Store',
  options: [
    { label: 'Redis (Recommended)', description: 'Fast, one more server.' },
    { label: 'SQLite', description: 'One file.' },
    { label: 'Hybrid', description: 'Redis before SQLite.' },
  ],
}
const lids = { question: 'Which lids?', multiSelect: true, options: [{ label: 'red' }, { label: 'blue' }] }

describe('answers to tools that ask', () => {
  it.each<[string, string, unknown, string, string, string[]]>([
    [
      'Claude Code',
      'AskUserQuestion',
      { questions: [store] },
      'User has answered your questions: "Which store?"="Hybrid". You can now continue with the user\'s answers in mind.',
      'Hybrid',
      ['Hybrid'],
    ],
    [
      'a preview',
      'AskUserQuestion',
      { questions: [store] },
      'Your questions have been answered: "Which store?"="SQLite" selected preview:\nkiln.db, "x"\n. You can now continue',
      'SQLite',
      ['SQLite'],
    ],
    [
      'own words',
      'AskUserQuestion',
      { questions: [store] },
      'User has answered your questions: "Which store?"="a plain "file" will do". You can now continue',
      'a plain "file" will do',
      [],
    ],
    [
      'a remark alone',
      'AskUserQuestion',
      { questions: [store] },
      'The user answered: "Which store?"=(no option selected) notes: files are enough.. Read the answers carefully',
      'files are enough',
      [],
    ],
    [
      'several',
      'AskUserQuestion',
      { questions: [lids] },
      'User has answered your questions: "Which lids?"="red, blue". You can now continue',
      'red, blue',
      ['red', 'blue'],
    ],
    [
      'Codex',
      'request_user_input',
      { questions: [{ id: 's', ...store }] },
      '{"answers":{"s":{"answers":["SQLite"]}}}',
      'SQLite',
      ['SQLite'],
    ],
    ['Gemini', 'ask_user', { questions: [store] }, '{"answers":{"0":"Hybrid"}}', 'Hybrid', ['Hybrid']],
    [
      'Copilot',
      'ask_user',
      { question: 'Which store?', choices: ['Redis', 'SQLite'] },
      'User selected: SQLite',
      'SQLite',
      ['SQLite'],
    ],
    [
      'Cline',
      'ask_followup_question',
      { question: 'Which store?', options: '["Redis","SQLite"]' },
      '<answer>\nRedis\n</answer>',
      'Redis',
      ['Redis'],
    ],
    [
      'Roo',
      'ask_followup_question',
      {
        question: 'Which store?',
        follow_up: '<suggest>Redis</suggest>\n<suggest mode="code">SQLite</suggest>',
      },
      '<answer>\nSQLite\n</answer>',
      'SQLite',
      ['SQLite'],
    ],
    [
      'OpenCode',
      'question',
      { questions: [store] },
      'User has answered your questions: "Which store?"="SQLite". You can now continue',
      'SQLite',
      ['SQLite'],
    ],
    [
      'a number',
      'ask_user',
      { question: 'Which store?', choices: ['Redis', 'SQLite'] },
      '2',
      '2',
      ['SQLite'],
    ],
  ])('are read from %s', (_, name, input, text, answer, chosen) => {
    const [found] = answersOf(...asked(name, input, text))
    expect(found).toMatchObject({ kind: 'question', answer, asked: 'e1', event: 'e2' })
    expect(found?.question).toMatch(/^Which (?:store|lids)\?$/)
    expect(found?.chosen.map(({ label }) => label)).toEqual(chosen)
  })

  it('hold the options with their descriptions', () => {
    const [found] = answersOf(...asked('AskUserQuestion', { questions: [store] }, '"Which store?"="SQLite"'))
    expect(found?.chosen).toEqual([{ label: 'SQLite', description: 'One file.' }])
    expect(found?.others.map(({ label }) => label)).toEqual(['Redis (Recommended)', 'Hybrid'])
  })

  it('are separate for several questions', () => {
    const text = '"Which lids?"="blue", "Which store?"="Redis (Recommended)". You can now continue'
    expect(shortOf(...asked('AskUserQuestion', { questions: [store, lids] }, text))).toEqual([
      ['Which store?', 'Redis (Recommended)', ['Redis (Recommended)']],
      ['Which lids?', 'blue', ['blue']],
    ])
  })

  it('are in the next message if the call has no result', () => {
    expect(
      answersOf(...asked('ask_followup_question', { question: 'Which store?' }), user('files')),
    ).toMatchObject([{ question: 'Which store?', answer: 'files', event: 'e2' }])
  })

  it.each([
    ['The user is not available to respond and will review your work later.', 'ok'],
    ['User responded: The user is not available to respond.', 'ok'],
    ['Questions asked:\n- "Which store?"\n  (No answer provided)', 'denied'],
    ['<tool_use_error>InputValidationError</tool_use_error>', 'error'],
    ['', 'ok'],
  ] as const)('are absent from %j', (text, status) => {
    expect(answersOf(...asked('ask_user', { questions: [store] }, text, status))).toEqual([])
  })

  it('count once if a question was asked again, with the last answer', () => {
    const drafts = ['Redis', 'SQLite'].flatMap((answer) =>
      asked('ask_user', { question: 'Which store?' }, answer),
    )
    expect(shortOf(...drafts)).toEqual([['Which store?', 'SQLite', []]])
  })

  it('are read from arguments of any shape', () => {
    for (const input of [
      null,
      7,
      'x',
      [],
      { questions: 'x' },
      { questions: [null, 7, {}] },
      { question: {}, options: 3 },
      JSON.parse('{"__proto__":{"questions":[1]}}'),
    ])
      expect(answersOf(...asked('AskUserQuestion', input, '{"answers":[[[]]]}'))).toEqual([])
  })
})

describe('replies', () => {
  it.each([
    ['The lid could be held by a hinge or by weight alone.', 'hold the lid by weight, as before'],
    ['Der Deckel hält mit Scharnier oder Gewicht.', 'den Deckel nur mit seinem Gewicht halten'],
    ['盖子可以用铰链固定，也可以靠重量。', '盖子靠重量固定就好'],
  ])('give the chosen way if only then files were changed: %s', (said, words) => {
    const edit = toolCall('c1', 'Edit', { file_path: 'lid.ts', old_string: 'a', new_string: 'b' })
    const turn = (...after: EventDraft[]) => answersOf(user('How?'), assistant(said), user(words), ...after)
    expect(turn(...edit)).toMatchObject([{ kind: 'reply', question: '', answer: words, event: 'e3' }])
    expect(turn()).toEqual([])
    expect(answersOf(user('How?'), ...edit, assistant(said), user(words), ...edit)).toEqual([])
    expect(answersOf(user('How?'), assistant(said), user('the colour is ugly now'), ...edit)).toEqual([])
  })

  const message =
    'Two ways:\n\n1. **Cache the dates** - quick\n2. **Use a pool** - slower to build\n\nWhich one do you want?'

  it.each<[string, string[]]>([
    ['2', ['Use a pool']],
    ['option 1, please', ['Cache the dates']],
    ["let's go with 2", ['Use a pool']],
    ['1 and 2', ['Cache the dates', 'Use a pool']],
    ['the first one', ['Cache the dates']],
    ['both', ['Cache the dates', 'Use a pool']],
    ['you decide', []],
  ])('name options: %j', (reply, chosen) => {
    expect(shortOf(user('faster'), assistant(message), user(reply))).toEqual([
      ['Two ways: Which one do you want?', reply, chosen],
    ])
  })

  it('keep the code in a label of an option, without marks around the whole', () => {
    expect(plainLabel('`session/` package (Recommended)')).toBe('`session/` package')
    expect(plainLabel('keep `a` or `b`')).toBe('keep `a` or `b`')
    expect(plainLabel('"SQLite"')).toBe('SQLite')
  })

  it('name options in the rows of a table, below the question', () => {
    const table = [
      'Let me ask about failures.',
      '**Next:** How should failures of the summary be handled?',
      '',
      '| Option | Description |',
      '|--------|-------------|',
      '| **A. Silent: log it** | The commit goes on. |',
      '| **B. `retry: 3`** | Three attempts. |',
      '',
      'Which do you prefer?',
    ].join('\n')
    expect(answersOf(assistant(table), user('A. is fine, ensure we log'))).toMatchObject([
      {
        question: expect.stringMatching(/^[^|]*failures of the summary be handled\? Which do you prefer\?$/),
        chosen: [{ label: 'Silent: log it', description: 'The commit goes on.' }],
        others: [{ label: '`retry: 3`', description: 'Three attempts.' }],
      },
    ])
  })

  it('name the letters in a list, whatever list follows', () => {
    const letters = 'Shape?\nA) Round\nB) Square\n\nSteps then:\n1. dig\n2. bake\n\nWhich shape?'
    expect(shortOf(user('x'), assistant(letters), user('B'))).toEqual([
      ['Shape? Which shape?', 'B', ['Square']],
    ])
  })

  it('select an item by its number only if the words after it are about that item', () => {
    const changes = 'I made two changes:\n1. A new section\n2. A bold warning'
    expect(shortOf(user('x'), assistant(changes), user('2. Strengthen the tests - add the calls'))).toEqual(
      [],
    )
    expect(shortOf(user('x'), assistant(message), user('2. Use a pool, with four workers'))).toMatchObject([
      ['Two ways: Which one do you want?', '2. Use a pool, with four workers', ['Use a pool']],
    ])
  })

  it('answer points one by one, each with its own words if they are about the same topic', () => {
    const points = 'Three questions:\n1. Which lane?\n2. Which side?\n3. Cycle the lanes, or none?'
    const reply = '1. i like option 3, 2. left most 3. no, cycle them as in point 2. of the draft'
    expect(shortOf(user('x'), assistant(points), user(reply))).toEqual([
      ['', 'i like option 3,', []],
      ['Cycle the lanes, or none?', 'no, cycle them as in point 2. of the draft', []],
    ])
  })

  it('select an option of an earlier message by its mark', () => {
    const ways = 'Two ways:\nA) Round lids\nB) Square lids\nWhich one?'
    const talk = [user('x'), assistant(ways), user('why two?'), assistant('Moulds differ. Clear?')]
    expect(shortOf(...talk, user('b'))).toEqual([['Two ways: Which one?', 'b', ['Square lids']]])
    expect(shortOf(...talk, user('b is cheaper'))).toEqual([])
  })

  it('include the question before the words that lead to the options', () => {
    const next = (question: string) =>
      assistant(`${question} Two options:\n\n**A) Kiln** - fired\n\n**B) Air** - dried\n\nNo hurry.`)
    const asked = [user('x'), next('How do pots dry?'), user('a'), next('How do lids dry?'), user('b. later')]
    expect(shortOf(...asked)).toEqual([
      ['How do pots dry?', 'a', ['Kiln']],
      ['How do lids dry?', 'b. later', ['Air']],
    ])
  })

  it('agree to the recommendation', () => {
    const text = `${message}\nI recommend 2. Shall I build it that way?`
    expect(answersOf(user('x'), assistant(text), user('yes')).map(({ chosen }) => chosen[0]?.label)).toEqual([
      'Use a pool',
    ])
  })

  it('accept an offer', () => {
    const text = 'Done. If you want, I can also rename the header to `Kiln Tour`.'
    expect(shortOf(user('x'), assistant(text), user('yes please'))).toEqual([
      ['If you want, I can also rename the header to `Kiln Tour`.', 'yes please', []],
    ])
  })

  it('accept everything in a list offered at the end', () => {
    const offers = [
      'Would you like me to:\n- Paint the lid?\n- Glaze the pot',
      'If you want, I can:\n1. Paint the lid.\n2. Glaze the pot.',
    ]
    expect(
      offers.map((text) => shortOf(user('x'), assistant(`Done.\n\n${text}`), user('yes please'))[0]?.[0]),
    ).toEqual([
      'Would you like me to: Paint the lid; Glaze the pot?',
      'If you want, I can: Paint the lid; Glaze the pot?',
    ])
  })

  it.each([
    ['Want me to commit and push?', 'yes'],
    ['Shall I fix it?', 'ok'],
    ['Commit now, or wait?', 'commit it'],
    ['Anything else to adjust?', 'can you explain the lid'],
    ['Should the lid be red?', 'what does the lid do'],
    ['Done.', 'now the docs'],
    ['Want me to paint the lid, or glaze it?', 'Does our kiln take both.'],
    ['Want me to paint the lid too?', 'OK, the pots have handles now. Can we start on the cups?'],
    ['Want me to paint the lid too?', 'yeah it works, it only takes long'],
    ['If it still leaks, I can glaze it twice.', 'Nope, the pot is still leaking.'],
    ['Does the lid stick, or the pot?', 'ahh, it was the shelf'],
  ])('are left out if they decide nothing: %s %s', (question, reply) => {
    expect(answersOf(user('x'), assistant(question), user(reply))).toEqual([])
  })

  it('come directly after the offer', () => {
    expect(
      answersOf(user('x'), assistant('Red or blue?'), ...asked('Bash', { command: 'ls' }, 'ok'), user('red')),
    ).toEqual([])
  })
})

describe('verdicts', () => {
  it('are given on plans', () => {
    const plan = (title: string, text: string, status: ToolResultEvent['status']) =>
      asked('ExitPlanMode', { plan: `# ${title}\n\nDig.` }, text, status)
    expect(
      shortOf(
        ...plan('Kiln', 'User has approved your plan.', 'ok'),
        ...plan('Lid', 'The user rejected it.', 'denied'),
        user('smaller'),
      ),
    ).toEqual([
      ['Kiln', 'approved the plan', []],
      ['Lid', 'did not approve the plan: smaller', []],
    ])
  })

  it("are given on tool uses, with the user's reason", () => {
    const refuse = (text: string) => asked('Bash', { command: 'git push' }, text, 'denied')
    expect(answersOf(...refuse("The user doesn't want this."), user('merge the branch first'))).toMatchObject(
      [{ kind: 'refusal', question: 'Bash: git push', answer: 'merge the branch first', event: 'e3' }],
    )
    expect(
      shortOf(...refuse('The user denied it with the feedback:\n<feedback>\nnot today\n</feedback>')),
    ).toEqual([['Bash: git push', 'not today', []]])
    expect(shortOf(...refuse("The user doesn't want this."), user('what would it push?'))).toEqual([
      ['Bash: git push', '', []],
    ])
  })

  it('take no reason from a command to the harness', () => {
    const refused = asked('Bash', { command: 'git push' }, "The user doesn't want this.", 'denied')
    expect(shortOf(...refused, user('/exit'))).toEqual([['Bash: git push', '', []]])
    expect(shortOf(...refused, user('/srv/app is the wrong folder'))).toEqual([
      ['Bash: git push', '/srv/app is the wrong folder', []],
    ])
  })

  it('do not come from hooks', () => {
    expect(answersOf(...asked('Bash', { command: 'x' }, 'Denied by a hook of the user', 'denied'))).toEqual(
      [],
    )
  })
})

it('reads long texts in linear time', async () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `${(at % 90) + 1}. option ${at} -`).join('\n')
  const drafts = [
    user('x'),
    assistant(`${lines}\nWhich?`),
    user('7'),
    ...asked('ask_user', { question: 'Which?' }, `"Which?"="${'a" '.repeat(300_000)}`),
  ]
  await expectCpuBelow(2000, () => answersOf(...drafts))
})

describe('offers of the agent', () => {
  const offers = assistant(
    'The kiln works.\n\nWould you like me to:\n- Paint the lid of the small kiln in the same colour as that of the large one?\n- Write down the heat, or\n- Fire a pot?',
  )

  it('accept the whole offer if the user agrees', () => {
    expect(shortOf(offers, user('yes to all'))).toEqual([
      [
        'Would you like me to',
        'yes to all',
        [
          'Paint the lid of the small kiln in the same colour as that of the large one',
          'Write down the heat',
          'Fire a pot',
        ],
      ],
    ])
    expect(shortOf(offers, user('yes'))[0]?.[0]).toContain('as that of the large one; Write down')
  })

  it('are not accepted if the user goes on to other work', () => {
    const offer = assistant('Want me to paint the lid, or to change its colour?')
    expect(shortOf(offer, user('update the notes with what changed since noon'))).toEqual([])
    expect(shortOf(offer, user('paint it green please'))).toHaveLength(1)
    expect(shortOf(offer, user('the first'))).toHaveLength(1)
  })

  it('agree even if a question about the details follows, unless an "OK" only leads to other work', () => {
    const offer = assistant('I would fire the small batch first. Shall I do it that way?')
    const eager = 'yup, this plan sounds right to me, small batch first. Can we log the heat as well?'
    expect(shortOf(offer, user(eager))).toHaveLength(1)
    expect(shortOf(offer, user('OK, now we need a shelf in the hall. Can we start on it today?'))).toEqual([])
  })

  it('are not read from words about the present or the past, or unfinished ones', () => {
    const seen = assistant('Do you have access to the old copy, or did the mover empty it already?')
    expect(shortOf(seen, user('the old copy should be in the attic'))).toEqual([])
    const wanted = assistant('Is there a colour that you want, or should I take any?')
    expect(shortOf(wanted, user('green'))).toHaveLength(1)
    const paint = assistant('Which colour do you want?')
    expect(shortOf(paint, user('mh...'))).toEqual([])
    expect(shortOf(paint, user('green'))).toHaveLength(1)
  })
})
