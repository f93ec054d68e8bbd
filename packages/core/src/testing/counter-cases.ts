import assert from 'node:assert/strict'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { casesOf, type SuiteCase } from './cases-of.ts'

/** One law of {@link TokenCounter}. */
export type CounterCase = SuiteCase<TokenCounter, void>

const prose = 'The build failed because src/server.ts imports a module that was deleted an hour ago. '
const oddTexts = [
  '\ud800',
  'a\udc00b',
  '\ude00\ud83d',
  '\u0000\u0001\u007f',
  '\ufeffline\r\n\u0085\u2028',
  'e\u0301\u0301\u0301',
  '👩‍👩‍👧‍👦 漢字 ไทย עברית',
  '__proto__',
  'constructor',
  ' \t \n',
]
const specialTokens = ['<|endoftext|>', '<|fim_prefix|>', '<|im_start|>', '<s>', '[INST]']
const runs = ['a', 'A', ' ', '\n', '-', '0', ' \t \n', '🙂', '漢', '\u0301', '\u0000']

/** Processor time for a megabyte. Our counter takes a fifth of it; the rest is for slow machines. */
const longRunMs = 3000

/**
 * The laws of {@link TokenCounter}, as data for any test runner: `for (const c of counterCases) it(c.name, () =>
 * c.run(counter))`.
 */
export const counterCases: readonly CounterCase[] = casesOf<TokenCounter, void>({
  'has a name of one line without blanks at its ends'(counter) {
    assert.match(counter.name, /^\S(.*\S)?$/)
  },
  'counts the empty text as 0'(counter) {
    assert.equal(counter.count(''), 0)
  },
  'gives whole numbers from 0 up'(counter) {
    for (const text of [prose, 'x', ...specialTokens, ...runs]) assertWhole(counter, text)
  },
  'counts any string, lone surrogates and control characters included'(counter) {
    for (const text of oddTexts) {
      assertWhole(counter, text)
      assert.ok(counter.count(text.repeat(50)) > 0, `${JSON.stringify(text)} 50 times counts nothing`)
    }
  },
  'counts special tokens as plain text'(counter) {
    for (const token of ['<|endoftext|>', '<|fim_prefix|>']) {
      assert.ok(counter.count(token) > 1, `${token} is 13 characters of plain text, not one token or none`)
      assert.ok(counter.count(`a ${token} b`) > 3, `${token} counts as plain text within a text too`)
    }
    for (const token of specialTokens) counter.count(`a ${token} b`)
  },
  'gives the same number for the same text, no matter what was counted in between'(counter) {
    const texts = [prose, ...oddTexts, ...specialTokens, ...runs.map((run) => run.repeat(300))]
    const first = texts.map((text) => counter.count(text))
    for (let i = 0; i < 2000; i++) counter.count(`filler ${i} ${i * 7919}`)
    const again = texts.toReversed().map((text) => counter.count(text))
    assert.deepEqual(again.toReversed(), first)
  },
  'grows with the text'(counter) {
    const one = counter.count(prose)
    const hundred = counter.count(prose.repeat(100))
    assert.ok(one >= 5, `a sentence of 14 words counts ${one}`)
    assert.ok(hundred >= 90 * one && hundred <= 110 * one, `one is ${one}, a hundred are ${hundred}`)
  },
  'never counts much more than one token per UTF-8 byte'(counter) {
    for (const text of [prose, ...oddTexts, ...specialTokens]) {
      const tokens = counter.count(text.repeat(20))
      const bytes = Buffer.byteLength(text) * 20
      assert.ok(tokens <= bytes + slack, `${JSON.stringify(text)} is ${bytes} bytes and counts ${tokens}`)
    }
  },
  'counts a joined text no higher than its parts'(counter) {
    const texts = [prose, ...oddTexts, ...specialTokens, 'const x = 1', '123456789', '    ']
    for (const left of texts) {
      for (const right of texts) {
        const joined = counter.count(left + right)
        const parts = counter.count(left) + counter.count(right)
        assert.ok(joined <= parts + slack, `${JSON.stringify(left + right)} is ${joined}, its parts ${parts}`)
      }
    }
  },
  'counts a megabyte of one character quickly'(counter) {
    counter.count('load the data')
    for (const run of runs) {
      // Small sizes first, so that a quadratic counter is caught before it hangs.
      for (const size of [2 ** 14, 2 ** 16, 2 ** 18, 2 ** 20]) {
        const text = run.repeat(size / run.length)
        const before = process.cpuUsage()
        const tokens = counter.count(text)
        const { user, system } = process.cpuUsage(before)
        const took = (user + system) / 1000
        assert.ok(tokens > 0, `${size} of ${JSON.stringify(run)} count nothing`)
        assert.ok(took < longRunMs, `${size} of ${JSON.stringify(run)} took ${Math.round(took)} ms`)
      }
    }
  },
})

/** A seam may split a token or two, and a tokenizer may add its own mark. */
const slack = 4

function assertWhole(counter: TokenCounter, text: string): void {
  const tokens = counter.count(text)
  assert.ok(Number.isSafeInteger(tokens) && tokens >= 0, `${JSON.stringify(text)} counts ${tokens}`)
}
