import type { Facts } from '@tenfold/core'
import type { StateFact, TranscriptItem } from '@tenfold/core/summarizer'
import { emptyFacts } from '@tenfold/core/testing'
import { describe, expect, it } from 'vitest'
import { requestAtHand } from '../../src/extractive/request-at-hand.ts'
import { resumePoint } from '../../src/extractive/resume-point.ts'
import { answerOpening, opening } from '../../src/extractive/sentences.ts'

const item = (event: number, label: string, text: string): TranscriptItem => ({
  event: `e${event}`,
  agent: 'main',
  turn: 1,
  type: label === 'user' ? 'user' : label === 'assistant' ? 'assistant' : 'tool_call',
  label,
  text,
})
const state = (request: number): StateFact => ({
  state: 'interrupted',
  because: 'open-call',
  request: `e${request}`,
  evidence: ['e9'],
  questions: [],
})

describe('the resume point of a session that was stopped', () => {
  const [asked, said] = [item(1, 'user', 'Move the parser'), item(2, 'assistant', 'I move it now.')]
  const stopped = (call: TranscriptItem, words?: string, facts: Partial<Facts> = {}): string | undefined =>
    resumePoint([asked, said, call], {
      ...emptyFacts,
      ...facts,
      state: { ...state(1), because: 'aborted', evidence: ['e4'], ...(words === undefined ? {} : { words }) },
    })[0]?.action
  const rest = 'Find out what the user wants now. Asked for: Move the parser'
  const byUser = '[Request interrupted by user for tool use]'

  it('says why the last call failed', () => {
    const call = { ...item(3, 'Edit', 'src/parse.ts'), status: 'error' } as const
    const message =
      'File has not been read yet. Read it first before writing to it, or the edit cannot be made at all.'
    const errors = [{ message, call: 'e3', event: 'e4' }] as const
    expect(stopped(call, byUser, { errors })).toBe(
      `The user interrupted after: I move it now. Edit src/parse.ts (error: "File has not been read yet"). ${rest}`,
    )
  })

  it('says what a call printed that failed without an error of its own, unless that tells what to do', () => {
    const failed = (text: string) =>
      ({ ...item(3, 'Edit', `src/parse.ts\n${text}`), status: 'error' }) as const
    expect(stopped(failed('Nothing matches.'), byUser, {})).toContain(
      'src/parse.ts (error: "Nothing matches.")',
    )
    expect(stopped(failed('Please run the build again.'), byUser, {})).toContain('src/parse.ts (error)')
  })

  it('names what the user refused', () => {
    const call = { ...item(3, 'Edit', 'src/parse.ts'), status: 'denied' } as const
    expect(stopped(call, byUser)).toBe(`The user refused: Edit src/parse.ts. ${rest}`)
    expect(stopped(call)).toBe(`Refused: Edit src/parse.ts. ${rest}`)
  })

  it('names the plan that was not approved, and its file', () => {
    const call = { ...item(3, 'ExitPlanMode', 'Plan: Two parsers\n## Steps'), status: 'denied' } as const
    const path = '/home/dev/.claude/plans/calm-owl.md'
    const files = [{ path, status: 'created', touches: [] }] as unknown as Facts['files']
    expect(stopped(call, byUser)).toBe(`The plan was not approved: Two parsers. ${rest}`)
    expect(stopped(call, byUser, { files })).toBe(
      `The plan was not approved: Two parsers (in ${path}). ${rest}`,
    )
  })

  it('says after what it was stopped, and by whom', () => {
    const call = { ...item(3, 'Bash', 'npm test'), status: 'ok' } as const
    expect(stopped(call, '[Request interrupted by user]')).toBe(
      `The user interrupted after: I move it now. Bash npm test (ok). ${rest}`,
    )
    expect(stopped(call, 'killed')).toBe(`Cut off (killed) after: I move it now. Bash npm test (ok). ${rest}`)
  })
})

const answer: Facts['answers'][number] = {
  kind: 'reply',
  question: '',
  answer: 'mend lid',
  chosen: [],
  others: [],
  asked: 'e1',
  event: 'e1',
}

describe('the request at hand', () => {
  const items = [item(1, 'user', 'Move the parser to its own package'), item(2, 'user', 'go on')]

  it('says what short words are about', () => {
    expect(requestAtHand(items, state(2), 100)).toBe('go on (about: Move the parser to its own package)')
  })

  it('is the first one if all calls that were refused with later words were made, however many', () => {
    const rounds = Array.from({ length: 8000 }, (_, round): TranscriptItem[] => [
      { ...item(3 * round + 2, 'Bash', 'git push'), status: 'denied' },
      item(3 * round + 3, 'user', `Read the file of shelf ${round} again first`),
      { ...item(3 * round + 4, 'Bash', 'git push'), status: 'ok' },
    ])
    const all = [item(1, 'user', 'Move the parser to its own package'), ...rounds.flat()]
    expect(requestAtHand(all, state(24_000), 100)).toBe('Move the parser to its own package')
  })

  it('says what short words are about once, however many of them follow each other', () => {
    const short = Array.from({ length: 8000 }, (_, at) => item(at + 2, 'user', `mend lid ${at}`))
    const answers = short.map(({ event }) => ({ ...answer, event }))
    const said = requestAtHand([item(1, 'user', 'Move the parser'), ...short], state(8001), 100, answers)
    expect(said).toBe('mend lid 7999 (about: mend lid 7998)')
  })

  it('begins with the sentence that asks, not with remarks before it', () => {
    const asked = (text: string) => requestAtHand([item(1, 'user', text)], state(1), 100)
    expect(asked("I'm confused. This is not the lid that we drew. Draw the lid again.")).toBe(
      'Draw the lid again.',
    )
    expect(asked("I'm confused. This is not the lid that we drew.")).toBe(
      "I'm confused. This is not the lid that we drew.",
    )
  })

  it('is what the user wrote around pasted output, or what failed in it', () => {
    const log = Array.from(
      { length: 12 },
      (_, at) => `    hooks.go:2${at}: Hook stop output: Copied the transcript to .app/full.jsonl as usual`,
    )
    const output = ['--- FAIL: TestRevert_KeepsNothing (3.40s)', ...log, 'FAIL'].join('\n')
    expect(requestAtHand([item(1, 'user', output)], state(1), 100)).toBe(
      '--- FAIL: TestRevert_KeepsNothing (3.40s)',
    )
    expect(requestAtHand([item(1, 'user', `Why does this happen now?\n${output}`)], state(1), 100)).toBe(
      'Why does this happen now?',
    )
  })

  it('says what short words chose or answered', () => {
    const question = 'Which way do you want?'
    const answer = { kind: 'reply', question, answer: '2', others: [], asked: 'e1', event: 'e2' } as const
    const short = [...items.slice(0, 1), item(2, 'user', '2')]
    const chosen = [{ mark: '2', label: 'A package of its own' }]
    expect(requestAtHand(short, state(2), 100, [{ ...answer, chosen }])).toBe(
      '2 (the agent offered: A package of its own)',
    )
    expect(requestAtHand(short, state(2), 100, [{ ...answer, chosen: [] }])).toBe(
      `2 (the agent asked: ${question})`,
    )
    const on = [...short, item(3, 'user', 'continue')]
    expect(requestAtHand(on, state(3), 100, [{ ...answer, chosen }])).toBe(
      'continue (about: 2 (the agent offered: A package of its own))',
    )
  })

  it('has with an agreement of any length what the agent asked, and with a question what it had said', () => {
    const asked = 'Done. Should I fire the kiln and glaze the lid?'
    const after = (said: string, words: string) =>
      requestAtHand([items[0] as never, item(2, 'assistant', said), item(3, 'user', words)], state(3), 200)
    expect(after(asked, 'yes, and then clean the kiln up')).toBe(
      'yes, and then clean the kiln up (the agent asked: Should I fire the kiln and glaze the lid?)',
    )
    expect(after('All lids are glazed.', 'Whats next?')).toBe(
      'Whats next? (the agent had said: All lids are glazed.)',
    )
    expect(after('All lids are glazed.', 'commit')).toBe('commit (about: Move the parser to its own package)')
  })

  it('is the title of the plan that was handed over', () => {
    const text =
      '# Plan: Split the parser\n\nFiles:\n- `src/parse.ts` (lines 3-9)\n- `src/read.ts` (lines 4-80)'
    const handed = [item(1, 'user', 'Implement the following plan:\n'), item(2, 'plan', text)]
    expect(requestAtHand(handed, state(1), 100)).toBe('Implement the following plan: Split the parser')
  })

  it('is not joined to one before a command or before the last answer', () => {
    const earlier = [items[0] as never, item(3, 'assistant', 'Moved.')]
    const [command, push] = [item(4, 'user', '/review-all'), item(4, 'user', 'push')]
    const answer = { ...item(5, 'assistant', 'All five threads are answered.'), final: true }
    const short = item(6, 'user', 'we got a failure')
    expect(requestAtHand([...earlier, command, answer, short], state(6), 200)).toBe(
      'we got a failure (about: /review-all)',
    )
    expect(requestAtHand([...earlier, push, answer, short], state(6), 200)).toBe(
      'we got a failure (the agent had said: All five threads are answered.)',
    )
  })

  it('adds to the one that is under way what came while the agent worked on it', () => {
    const call = item(2, 'Bash', 'npm test')
    const more = item(3, 'user', 'And next let some reviewers look at the tests')
    expect(requestAtHand([items[0] as never, call, more], state(3), 200)).toBe(
      'Move the parser to its own package Then: And next let some reviewers look at the tests',
    )
    const answer = { ...item(2, 'assistant', 'Moved.'), final: true }
    expect(requestAtHand([items[0] as never, answer, more], state(3), 200)).toBe(more.text)
  })

  it('is about the call that was refused with it, until that was made', () => {
    const refused = { ...item(2, 'Bash', 'git push\nThe user said no'), status: 'denied' } as const
    const words = item(3, 'user', 'pull first')
    const pull = { ...item(4, 'Bash', 'git pull --rebase'), status: 'ok' } as const
    const push = { ...item(5, 'Bash', 'git push\nmain -> main'), status: 'ok' } as const
    const asked = [items[0] as never, refused, words, pull]
    expect(requestAtHand(asked, state(3), 200)).toBe('pull first (about: Bash git push, refused)')
    expect(requestAtHand([...asked, push], state(3), 200)).toBe('Move the parser to its own package')
  })

  it('shows where it was cut', () => {
    const asked = 'Pick a claim. Fix it on a branch of its own. Then simplify it and open a pull request.'
    expect(requestAtHand([item(1, 'user', asked)], state(1), 60)).toBe(
      'Pick a claim. Fix it on a branch of its own. …',
    )
    const list = `${'Take the claims one by one, and do this for each of them, in this order, until none is left:'}\n\n1. check it\n2. fix it`
    expect(requestAtHand([item(1, 'user', list)], state(1), 100)).toMatch(/ …$/)
  })

  it('leaves the name of a command as it is', () => {
    const command = item(2, 'user', '/review-all')
    expect(requestAtHand([...items.slice(0, 1), command], state(2), 100)).toBe('/review-all')
  })
})

describe('the opening of a text', () => {
  it('leaves out a word of joy before the first statement', () => {
    expect(opening('🎯 **Perfect!** The parser reads both forms.', 100)).toBe('The parser reads both forms.')
    expect(opening('Perfect!', 100)).toBe('Perfect!')
    expect(opening('Perfect forwarding works.', 100)).toBe('Perfect forwarding works.')
  })

  it('does not end with a line that announces what was left out', () => {
    const text =
      'The panel scrolls now.\n\nWhat changed:\n\n- The header is a card that scrolls with the rest.'
    expect(opening(text, 50)).toBe('The panel scrolls now.')
    expect(opening('What changed:\n\n- The header is a card.', 20)).toBe('What changed:')
    expect(opening('The review passed. Now the docs:', 50)).toBe('The review passed. Now the docs:')
  })
})

describe('the resume point', () => {
  const items = [
    item(1, 'user', 'Fix every finding of the report, one branch each'),
    item(2, 'TaskCreate', 'Finding 1'),
    item(3, 'TaskCreate', 'Finding 2'),
    item(5, 'user', 'that cache folder can just be deleted'),
    item(9, 'Bash', 'npm test'),
  ]
  const tasks = (listed: string): Facts['tasks'] => [
    { text: 'Finding 1', status: 'completed', event: 'e6', listed: 'e2' },
    { text: 'Finding 2', status: 'in_progress', event: 'e7', listed: listed as `e${number}` },
  ]
  const actionWith = (listed: string) =>
    resumePoint(items, { ...emptyFacts, state: state(5), tasks: tasks(listed) })[0]?.action

  it('names the request behind the task in progress if the last words only steered it', () => {
    expect(actionWith('e3')).toMatch(/Asked for: Fix every finding of the report, one branch each\. Last: /)
  })

  it('names the last request if the task in progress was listed after it', () => {
    expect(actionWith('e6')).toMatch(/Asked for: that cache folder can just be deleted\. Last: /)
  })

  it('takes "commit" for a request, and no word to go on with the one before', () => {
    const on = [
      ...items.slice(0, 1),
      { ...item(4, 'assistant', 'Fixed.'), final: true },
      item(8, 'user', 'commit'),
    ]
    const facts = { ...emptyFacts, state: { ...state(8), because: 'no-answer' as const } }
    expect(resumePoint(on, facts)[0]?.action).toBe(
      'Answer the last message: commit (about: Fix every finding of the report, one branch each)',
    )
  })

  it('goes on with the request and the last step before a mere "continue"', () => {
    const on = [...items.slice(0, 1), item(4, 'Bash', 'npm test'), item(8, 'user', 'continue')]
    const facts = { ...emptyFacts, state: { ...state(8), because: 'no-answer' as const } }
    expect(resumePoint(on, facts)[0]?.action).toBe(
      'Continue: Fix every finding of the report, one branch each. Last: Bash npm test.',
    )
  })
})

it('the opening of an answer is the list that sums it up', () => {
  const list = '- a toggle in the header\n- the state is kept'
  const before =
    'The style sheet has all that it needs. We change nothing there, as it was made for both modes before.'
  for (const head of ["To summarize the changes we've made:", '## What changed', '**Delivered:**'])
    expect(answerOpening(`${before}\n\n${head}\n${list}\n\nDone.`, 100)).toBe(
      'a toggle in the header; the state is kept',
    )
  expect(answerOpening(`${before}\n\nNext steps:\n${list}`, 200)).toBe(before)
})
