import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { StateFact } from '../../src/facts/facts.ts'
import { askingPart, asksNothing } from '../../src/facts/state/last-turn.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

function stateOf(...drafts: EventDraft[]): StateFact | undefined {
  return extractFacts(makeSession(drafts)).state
}

const kind = (...drafts: EventDraft[]) => {
  const state = stateOf(...drafts)
  return state && `${state.state} ${state.because}`
}
const ends = (answer: string) => kind(user('Sort the imports.'), assistant(answer))
const harness = (name: string, text: string): EventDraft => ({
  type: 'context',
  origin: 'harness',
  name,
  text,
})
const typed = (text: string): EventDraft => ({ type: 'user', origin: 'command', text })
const output = (text: string): EventDraft => ({ type: 'context', origin: 'output', text })

describe('a finished session', () => {
  it('ends with an answer that asks nothing', () => {
    expect(
      stateOf(user('Sort the imports.'), ...shell('1', 'npx sort', ''), assistant('Sorted in 3 files.')),
    ).toEqual({
      state: 'finished',
      because: 'answer',
      request: 'e1',
      answer: 'e4',
      evidence: ['e4'],
      questions: [],
    })
  })

  it.each([
    'Sorted. Let me know if you need anything else!',
    'Sorted. Do you have any other questions?',
    'Why were they out of order? The formatter was off. It is on now and all files are sorted. Nothing else changed. The tests pass.',
    'Sorted them.\n\n> Do you want to go on?\n\nThat was the old prompt.',
    'Sorted. The template says:\n```\nWant me to continue?\n```',
    'I renamed the flag to clarify what it does.',
    '已经排好了。如果还有其他问题，随时告诉我！',
    'Listo. Si necesitas más ayuda, aquí estoy.',
  ])('may be polite, quote or explain: %s', (answer) => {
    expect(ends(answer)).toBe('finished answer')
  })

  it('is in progress if the answer lists remaining work', () => {
    expect(ends('Built. What remains is the release: `npm publish`. I did not run it.')).toBe(
      'in-progress answer',
    )
  })

  it('is interrupted if the log ends within a line', () => {
    const session = makeSession([
      user('Sort the imports.'),
      ...shell('1', 'npx sort', ''),
      assistant('Sorted.'),
    ])
    const cut = { ...session, notes: [{ code: 'truncated-tail', message: 'not JSON' }] }
    expect(extractFacts(cut).state).toMatchObject({
      state: 'interrupted',
      because: 'working',
      evidence: ['e4'],
    })
  })

  it('is that of the request if the user gives the harness an order while the agent works', () => {
    const state = stateOf(
      user('Sort the imports.'),
      assistant('I sort them now.'),
      typed('/remote-control'),
      ...toolCall('9', 'Read', { file_path: '/w/a.ts' }),
    )
    expect(state).toMatchObject({ state: 'in-progress', request: 'e1' })
  })

  it('stays finished after thanks, farewells, local commands and a compaction', () => {
    const done = [user('Sort the imports.'), assistant('Sorted.')]
    const after: EventDraft[][] = [
      [user('Thanks a lot, that is all!'), assistant("You're welcome! Anything else?")],
      [user('great')],
      [
        user(
          'Thank you for the help. If anything else comes up, I will reach out. Have a fantastic weekend!',
        ),
      ],
      [user('谢谢！'), assistant('不客气。')],
      [user('###STOP###')].map(
        (draft) => ({ ...draft, text: 'Perfect, thank you for your help! ###STOP###' }) as EventDraft,
      ),
      [typed('/exit'), output('Bye'), ...toolCall('9', 'TaskStop', {})],
      [typed('/model'), output('Set model to small')],
      [{ type: 'compaction', text: 'The imports were sorted. Should the exports be sorted?' }],
    ]
    for (const drafts of after) {
      const state = stateOf(...done, ...drafts)
      expect([state?.state, state?.request, state?.answer]).toEqual(['finished', 'e1', 'e2'])
    }
  })

  it('may end with a call that submits the work, or with updated task lists', () => {
    expect(kind(user('Fix it.'), assistant('Now I will submit.'), ...toolCall('1', 'submit', {}))).toBe(
      'finished answer',
    )
    const list = toolCall('1', 'TodoWrite', { todos: [{ content: 'Fix it', status: 'completed' }] })
    expect(kind(user('Fix it.'), assistant('Fixed in one line.'), ...list)).toBe('finished answer')
  })

  it('includes one whose last message was queued before the answer was written', () => {
    const queued: EventDraft = {
      type: 'user',
      origin: 'queued',
      text: 'And the exports.',
      time: '2026-01-01T10:00:00.000Z',
    }
    const answer: EventDraft = {
      ...assistant('Sorted both.'),
      time: '2026-01-01T10:05:00.000Z',
    } as EventDraft
    expect(kind(user('Sort the imports.'), answer, queued)).toBe('finished answer')
    expect(kind(user('Sort the imports.'), answer, { ...queued, time: '2026-01-01T10:06:00.000Z' })).toBe(
      'interrupted no-answer',
    )
  })

  it('includes one whose offer the user turned down', () => {
    expect(
      kind(user('Sort.'), assistant('Sorted. Shall I commit it?'), user('No thanks, that is all.')),
    ).toBe('finished answer')
  })

  it('includes a subagent with its report to the parent', () => {
    const task: EventDraft = { type: 'context', origin: 'agent', name: 'task', text: 'Count the files.' }
    expect(stateOf(task, ...shell('1', 'ls', 'a b'), assistant('Two files.'))).toMatchObject({
      state: 'finished',
      request: 'e1',
    })
  })
})

it('a session is in progress while a subagent works after the last words of the main agent', () => {
  const task: EventDraft = {
    type: 'context',
    origin: 'agent',
    name: 'task',
    text: 'Glaze. Never push.',
    agent: 'car',
  }
  const start: EventDraft = { type: 'subagent_start', child: 'car' }
  const work = [{ type: 'assistant', text: 'Two lids are glazed.', agent: 'car' } as const]
  const drafts = [user('Glaze the lids.'), start, task, assistant('The car is at work.'), ...work]
  expect(stateOf(...drafts)).toMatchObject({
    state: 'in-progress',
    because: 'subagent',
    evidence: ['e3', 'e5'],
  })
  expect(extractFacts(makeSession(drafts)).constraints).toEqual([{ text: 'Never push.', event: 'e3' }])
  expect(stateOf(...drafts, { type: 'subagent_end', child: 'car' })?.state).toBe('finished')
})

describe('a waiting session', () => {
  it.each([
    ['question', 'Sorted. Want me to commit it?'],
    ['question', 'Which order do you want?\n1. by name\n2. by path\n3. by length\n4. none'],
    ['question', '已经排好了。要不要我提交？'],
    ['question', 'ソートしました。コミットしましょうか。'],
    ['question', 'Sortiert. Soll ich es committen?'],
    ['question', 'Trié. Voulez-vous que je le commite ?'],
    ['question', 'Hecho. ¿Quieres que haga el commit?'],
    ['question', '정렬했습니다. 커밋할까요?'],
    ['question', 'Готово. Хотите, чтобы я закоммитил?'],
    ['offer', "Sorted. If you'd like the exports sorted too, let me know."],
    ['offer', 'Sorted. Say the word and I will push it.'],
    ['offer', 'Please confirm the name of the branch.'],
    ['trial', 'Try again now. If it still fails, I will look at the cache.'],
    ['trial', 'Run the page and paste the output.'],
    ['trial', '请重新运行一下，把结果发给我。'],
  ])('is recognized by its last message (%s): %s', (because, answer) => {
    expect(ends(answer)).toBe(`waiting ${because}`)
  })

  it('reports the question, and keeps all questions', () => {
    const state = stateOf(
      user('Sort.'),
      assistant('Sorted 3 files. Two are generated. Should I skip those? Say the word and I go on.'),
    )
    expect(state).toMatchObject({
      words: 'Should I skip those? Say the word and I go on.',
      questions: [{ text: 'Should I skip those?', event: 'e2' }],
    })
  })

  it('includes a question tool or a plan without an answer', () => {
    const ask = toolCall(
      '1',
      'AskUserQuestion',
      { questions: [{ question: 'Which cache?', options: [{ label: 'Redis' }, { label: 'None' }] }] },
      null,
    )
    expect(stateOf(user('Add a cache.'), ...ask)).toMatchObject({
      state: 'waiting',
      evidence: ['e2'],
      words: 'Which cache? (Redis / None)',
      questions: [{ text: 'Which cache? (Redis / None)', event: 'e2' }],
    })
    const plan = toolCall('1', 'ExitPlanMode', { plan: '# Cache plan\n1. add it' }, null)
    expect(stateOf(user('Plan a cache.'), ...plan)).toMatchObject({
      state: 'waiting',
      words: 'plan: Cache plan',
    })
    const refused = toolCall('1', 'ExitPlanMode', { plan: '# Cache plan' }, { status: 'denied' })
    const stop = harness('interrupted', '[Request interrupted by user for tool use]')
    expect(kind(user('Plan a cache.'), ...refused, stop)).toBe('waiting aborted')
  })

  it('still waits after a thank-you, and after calls that follow the question', () => {
    const asked = [user('Sort.'), assistant('Sorted. Shall I commit it?')]
    expect(kind(...asked, user('Thanks!'))).toBe('waiting question')
    expect(kind(...asked, ...shell('1', 'rm tmp.txt'))).toBe('waiting question')
    expect(kind(...asked, user('ok'))).toBe('interrupted no-answer')
  })
})

describe('a session in progress', () => {
  it('ends after tool results, or after words that announce the next step', () => {
    expect(kind(user('Fix it.'), ...shell('1', 'npm test', 'ok'))).toBe('in-progress working')
    expect(ends('Now let me run the tests.')).toBe('in-progress working')
    expect(ends('The file is staged. Checking the status:')).toBe('in-progress working')
    expect(ends('好的，让我先看一下配置。')).toBe('in-progress working')
  })

  it('ends with an answer while the task list of the request has open tasks', () => {
    const list = toolCall('1', 'TodoWrite', {
      todos: [
        { content: 'Fix the parser', status: 'completed' },
        { content: 'Fix the printer', status: 'pending' },
      ],
    })
    expect(stateOf(user('Fix both.'), ...list, assistant('The parser is fixed.'))).toMatchObject({
      state: 'in-progress',
      because: 'tasks',
      evidence: ['e4', 'e2'],
    })
    expect(
      kind(user('Fix both.'), ...list, assistant('Half.'), user('What is a parser?'), assistant('A reader.')),
    ).toBe('finished answer')
  })

  it('is not recognized by missing results if the log has none at all', () => {
    expect(kind(user('Fix it.'), ...toolCall('1', 'Read', { path: 'a' }, null))).toBe('in-progress working')
  })

  it('is interrupted if the user left', () => {
    const state = stateOf(user('Fix it.'), ...shell('1', 'npm test', 'ok'), typed('/exit'))
    expect(state).toMatchObject({ state: 'interrupted', because: 'aborted', evidence: ['e3', 'e4'] })
  })
})

describe('an interrupted session', () => {
  it('ends with a call without a result', () => {
    const state = stateOf(
      user('Ship it.'),
      ...shell('1', 'npm test', 'ok'),
      assistant('Pushing:'),
      ...toolCall('2', 'Bash', { command: 'git push' }, null),
    )
    expect(state).toMatchObject({
      state: 'interrupted',
      because: 'open-call',
      evidence: ['e5'],
      answer: 'e4',
      words: 'Bash git push',
    })
    const wordsOf = (input: object) =>
      stateOf(user('Ship it.'), ...shell('1', 'npm test', 'ok'), ...toolCall('2', 'Task', { ...input }, null))
        ?.words
    expect(wordsOf({ description: 'Review the kiln', prompt: 'Read src/kiln.ts' })).toBe(
      'Task (Review the kiln): Read src/kiln.ts',
    )
    const chain = `git add ${'src/deeply/nested/file.ts '.repeat(8)}&& git commit -m "Fix\n\nit" && git push`
    expect(wordsOf({ command: chain })).toMatch(/^Task git add src\/.{90,140} … git push$/)
  })

  it('continues after a call without a result that changes nothing', () => {
    const before = [user('Ship it.'), ...shell('1', 'npm test', 'ok')]
    expect(kind(...before, ...toolCall('2', 'Read', { path: 'a' }, null))).toBe('interrupted working')
    const run = (command: string) => kind(...before, ...toolCall('2', 'Bash', { command }, null))
    const harmless = ["sed -n '1,9p' a.ts", 'rg -n kiln src | head', 'git status', 'cd app && npm test 2>&1']
    expect(harmless.map(run)).toEqual(harmless.map(() => 'interrupted working'))
    const harmful = [
      'npm test && git push',
      'cat a > b',
      "sed -i 's/a/b/' a",
      'eslint --fix .',
      './kiln fire',
    ]
    expect(harmful.map(run)).toEqual(harmful.map(() => 'interrupted open-call'))
  })

  it('lists, of several calls without results, those that may have changed something', () => {
    const calls = [
      ...toolCall('2', 'Bash', { command: 'cat a' }, null),
      ...toolCall('3', 'Bash', { command: 'git push' }, null),
    ]
    const state = stateOf(user('Ship it.'), ...shell('1', 'npm test', 'ok'), ...calls)
    expect(state).toMatchObject({ because: 'open-call', evidence: ['e5'] })
  })

  it('ends with a request that was not answered', () => {
    expect(stateOf(user('Sort.'), assistant('Sorted.'), user('Thanks! Now sort the exports.'))).toMatchObject(
      {
        state: 'interrupted',
        because: 'no-answer',
        request: 'e3',
        evidence: ['e3'],
      },
    )
  })

  it('was cut off by the user or by a limit', () => {
    const work = [user('Fix it.'), ...shell('1', 'npm test', 'ok')]
    expect(kind(...work, harness('interrupted', '[Request interrupted by user]'))).toBe('interrupted aborted')
    expect(kind(...work, harness('info', 'Request cancelled.'))).toBe('interrupted aborted')
    expect(kind(...work, harness('turn_aborted', 'turn aborted: replaced'))).toBe('interrupted aborted')
    expect(kind(...work, harness('error', 'Agent reached maximum iteration. Current iteration: 50'))).toBe(
      'interrupted limit',
    )
    expect(kind(user('Fix it.'), ...shell('1', 'rm -rf x', 'refused', { status: 'denied' }))).toBe(
      'interrupted aborted',
    )
  })
})

describe('a failed session', () => {
  it('was ended by an error of the provider or the harness', () => {
    const work = [user('Fix it.'), ...shell('1', 'npm test', 'ok')]
    expect(stateOf(...work, harness('api_error', 'API Error: 529 overloaded'))).toMatchObject({
      state: 'failed',
      because: 'error',
      words: 'API Error: 529 overloaded',
      evidence: ['e4'],
    })
    expect(kind(...work, assistant('Credit balance is too low'))).toBe('failed error')
    expect(kind(...work, harness('exit status', 'exit_cost'))).toBe('failed error')
    expect(kind(...work, harness('exit status', 'submitted'))).toBe('finished answer')
  })

  it('was ended by an agent that gave up', () => {
    expect(ends('I was unable to fix the build, every attempt was refused.')).toBe('failed gave-up')
  })

  it('is not recognized by an error that was followed by work', () => {
    expect(kind(user('Fix it.'), harness('api_error', 'API Error: 529'), assistant('Fixed.'))).toBe(
      'finished answer',
    )
  })
})

it('gives no state of a session without work or request', () => {
  expect(stateOf()).toBeUndefined()
  expect(stateOf(typed('/add a.ts'), output('Added a.ts'))).toBeUndefined()
})

it('ignores what was withdrawn, and what belongs to a parent session', () => {
  const drafts: EventDraft[] = [
    user('Sort.'),
    assistant('Sorted.'),
    { ...user('Push.'), inContext: false },
    { ...assistant('Shall I force it?'), inContext: false },
  ]
  expect(kind(...drafts)).toBe('finished answer')
})

it('finds the request in a message next to small talk', () => {
  expect(askingPart('I have to leave in five minutes. Run the suite once more!')).toBe(
    'Run the suite once more!',
  )
  expect(askingPart('Thanks, bye!')).toBe('')
})

it.each([
  '/exit',
  ':q',
  '/compact keep the names',
  '! find .',
  'Thanks a lot, bye!',
  'hello',
  'looks good so far',
  '谢谢',
])('recognizes a message that asks the agent for nothing: %s', (text) => {
  expect(asksNothing(text)).toBe(true)
})

it.each(['', 'yes', '/review the last change', 'Thanks! Now push it.', 'hello world does not print', '1'])(
  'recognizes a message that asks for something: %s',
  (text) => {
    expect(asksNothing(text)).toBe(false)
  },
)

it('does not treat a request to look at something as a farewell', () => {
  const done = [user('Sort the imports.'), assistant('Sorted.')]
  expect(kind(...done, user('Have a look every day'))).toBe('interrupted no-answer')
})

it('takes linear time for texts of any kind', async () => {
  const texts = [
    '? '.repeat(200_000),
    '`a '.repeat(200_000),
    'let me '.repeat(200_000),
    'thank you '.repeat(200_000),
    '```\n'.repeat(200_000),
  ]
  await expectCpuBelow(8000, () => {
    for (const text of texts) stateOf(user(text), assistant(text))
  })
})
