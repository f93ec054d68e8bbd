import { describe, expect, it } from 'vitest'
import { condense, rankText } from '../../src/plan/condense.ts'
import { isCode, sentenceScorer } from '../../src/plan/score-sentence.ts'
import { emptyFacts } from '../../src/testing/empty-facts.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'

const counter = tiktokenCounter()
const scoreSentence = sentenceScorer(emptyFacts)
const cut = (text: string, tokens: number) =>
  condense(rankText(text, counter.count(text), counter, scoreSentence), tokens, counter)

describe('condense', () => {
  it.each([
    ['an environment variable', 'LOG_MODE=verbose'],
    ['a setting', 'retries: 7'],
    ['a setting in JSON', '"strict": true,'],
    ['a version', 'v3.2'],
    ['a limit with its unit', '30 s'],
    ['a port', '8443'],
  ])('keeps the sentence with %s', (_, value) => {
    const filler = 'The words in this one are all the same to us. '
    const text = `${filler.repeat(5)}\nWe now use ${value} here.\n${filler.repeat(5)}`
    expect(cut(text, 30)).toContain(value)
  })

  it('first drops the remark of a harness at the end of a plan', () => {
    const remark =
      'If you need specific details from before exiting plan mode, read the full transcript at: /home/x/8f3a2c.jsonl'
    const text = `${'And so on it goes. '.repeat(10)}\nThe last step is a test.\n\n${remark}`
    expect(cut(text, 40)).not.toContain('specific details')
    expect(cut(text.replace('If you need', 'You need'), 40)).toContain('specific details')
  })

  it('keeps a heading with a line below it, and none alone', () => {
    const filler = 'The words in this one are all the same to us. '.repeat(3)
    const text = `Here is how.\n\n## Colours\n\n${filler}\n\n## Limits of the server\n\n${filler}\nWe take 8443 and LOG_MODE=verbose.\n\n## Names\n\n${filler}`
    const short = cut(text, 40)
    expect(short).toMatch(/## Limits of the server\n+\[…\d+\]\nWe take 8443 and LOG_MODE=verbose\./)
    expect(short).not.toMatch(/Colours|Names/)
  })

  it('shows the repetitions of a pasted warning once', () => {
    const warning = 'Keys should be unique so that items keep their identity. '
    const text = `The list warns.\n${Array.from({ length: 30 }, (_, at) => `Two children have the key ${at}000. ${warning}`).join('\n')}`
    expect(cut(text, 200).split(warning.trim())).toHaveLength(2)
  })

  it('keeps text that takes no more room than a mark for it', () => {
    const text = `Set timeout to 4500 ms in a.config.ts.\n}\nSet attempts to 12 in b.config.ts.\n${'And so on it goes. '.repeat(30)}`
    expect(cut(text, 40)).toContain('a.config.ts.\n}\nSet attempts')
  })

  it('keeps a few words that a mark would take the place of', () => {
    const own = ['mine', 'yours', 'theirs', 'hers', 'his', 'ours']
    const text = own
      .map(
        (whose, at) =>
          `It sets \`LIMIT_${at}=45${at}00\`. Only ${whose} are in it. See \`src/own-${at}.ts\` at 71${at}02.`,
      )
      .join('\n')
    for (let size = 60; size < 140; size += 5)
      for (const [, tokens] of cut(text, size).matchAll(/\[…(\d+)\] /g))
        expect(Number(tokens)).toBeGreaterThan(14)
  })

  it('keeps an item with its number, and a short beginning and end of a text', () => {
    const text = `A. Write \`first.ts\` at port 4500 now.\n${'And so on it goes. '.repeat(30)}\n2. Then delete \`old.ts\` at port 4600, e.g. by hand.\nBye.`
    const short = cut(text, 50)
    expect(short).toMatch(/^A\. Write `first\.ts`/)
    expect(short).toMatch(/\n2\. Then delete `old\.ts` at port 4600, e\.g\. by hand\.\nBye\.$/)
  })

  it('keeps the beginning of the best sentence rather than empty lines if no sentence fits', () => {
    const sentence =
      'The gateway of the billing service has to wait for the ledger before it takes another order'
    const text = `${sentence}:\n\n${sentence} again.\n\n${sentence} at last.`
    expect(cut(text, 16)).toMatch(/^The gateway \S.* \[…\d+\]$/)
  })

  it('keeps the beginning of the best sentence rather than scraps below it, and no tags without text', () => {
    const text =
      'Move the settings of gateway.ts to port 8443 and wait for the ledger.\n<p>\nFirst steps\n<br/>\nAnd so on\nThe end\n</p>'
    expect(cut(text, 16)).toMatch(/^Move the settings of gateway\.ts \S.* \[…\d+\]$/)
    expect(cut(text, 28)).toMatch(/^Move the settings .* ledger\. \[…\d+\]$/)
  })

  it('does not treat line numbers as values', () => {
    const empty = Array.from({ length: 12 }, (_, index) => `   ${140 + index}→`)
    const text = ['Some words here.', ...empty, '   152→The words in this one are all plain.', ...empty].join(
      '\n',
    )
    const short = cut(text, 30)
    expect(short).toContain('are all plain.')
    expect(short).not.toMatch(/→$/m)
  })

  it('joins adjacent marks', () => {
    const text = `Set port to 4500 in a.ts.\n[…70]\n${'And so on it goes. '.repeat(30)}\n[…30]\nSet port to 4600 in b.ts.`
    const marks = [...cut(text, 40).matchAll(/\[…(\d+)\]/g)].map(([, gone]) => Number(gone))
    expect(marks).toHaveLength(1)
    expect(marks[0]).toBeGreaterThan(250)
  })

  it('counts tokens that were already omitted from a text', () => {
    const text = `It began. ${'It went on for a while. '.repeat(10)}[…500]\n${'It went on for a while. '.repeat(10)}It ended with exit code 137 in worker.ts.`
    const gone = [...cut(text, 40).matchAll(/\[…(\d+)\]/g)].reduce(
      (sum, [, tokens]) => sum + Number(tokens),
      0,
    )
    expect(gone).toBeGreaterThan(500)
  })
})

it.each([
  ['    const total = sum(items)', true],
  ['if (ready) {', true],
  ['} else {', true],
  ['return total;', true],
  ['The build passes now.', false],
  ['- `src/a.ts` reads the settings', false],
  ['if this fails, tell me.', false],
  ['| total | 4617 |', false],
])('separates a line of a program from prose: %s', (line, expected) => {
  expect(isCode(line)).toBe(expected)
})
