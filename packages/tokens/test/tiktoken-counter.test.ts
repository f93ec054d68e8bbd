import fc from 'fast-check'
import { get_encoding } from 'tiktoken'
import { describe, expect, it } from 'vitest'
import { everyPoint, repeats } from '../../../test/support/repeats.ts'
import { seedOf } from '../../../test/support/seed.ts'
import { expectCpuBelow } from '../../core/test/support/cpu-time.ts'
import type { EncodingName } from '../src/encoding-bytes.ts'
import { tiktokenCounter } from '../src/tiktoken-counter.ts'

const encodings: readonly EncodingName[] = ['o200k_base', 'cl100k_base']
const reference = { o200k_base: get_encoding('o200k_base'), cl100k_base: get_encoding('cl100k_base') }
const counters = { o200k_base: tiktokenCounter(), cl100k_base: tiktokenCounter('cl100k_base') }

function expectSameAsTiktoken(text: string, encoding: EncodingName): void {
  const expected = reference[encoding].encode_ordinary(text).length
  expect(counters[encoding].count(text), JSON.stringify(text.slice(0, 200))).toBe(expected)
}

const code = `export async function readAll(path: string): Promise<Map<string, number>> {
\tconst counts = new Map<string, number>()  // don't keep more than 1_000_000
\tfor await (const line of readLines(path)) {
\t\tif (!line.trim()) continue
\t\tcounts.set(line, (counts.get(line) ?? 0) + 0x1F);
\t}\r\n\treturn counts }\n\n\n#include <stdio.h>\n    int main(int argc, char** argv) { return !!argc; }   \n`

const texts: Record<string, string> = {
  prose:
    `We'll see: it's "done", they've said, I'M sure you'd AGREE. That's 12,345.67 EUR (or $13,000)!\n\n`.repeat(
      40,
    ),
  code: code.repeat(20),
  json: JSON.stringify(
    Array.from({ length: 200 }, (_, id) => ({
      id,
      at: new Date(id * 1e9),
      path: `src/a_b/c-${id}.ts`,
      ok: id % 3 > 0,
    })),
    null,
    2,
  ),
  log: Array.from(
    { length: 200 },
    (_, i) => `2026-01-0${i % 9}T10:0${i % 9}:00Z ERROR [w-${i}] exit=${i} \x1b[31mfail\x1b[0m`,
  ).join('\r\n'),
  diff: '@@ -1,7 +1,9 @@\n-import { a } from "./a"\n+import { b } from "./b"\n     12→\tunchanged()\n'.repeat(
    30,
  ),
  international:
    'Übergröße naïve ŒUVRE Ǆungla. Быстрая лиса. 素早い茶色の狐が、飛ぶ。 快速的棕色狐狸。 빠른 갈색 여우. الثعلب البني السريع. ' +
    'שועל חום מהיר. तेज़ भूरी लोमड़ी. สุนัขจิ้งจอกสีน้ำตาล. 👩‍👩‍👧‍👦🏳️‍🌈 café cafe\u0301 Ⅷ ½ ٣٤٥٦ ﬁn',
  'special tokens': 'a<|endoftext|>b <|fim_prefix|> <|im_start|>system<|endofprompt|>\n'.repeat(10),
  'long s and Kelvin': "it'ſ IT'ſ we'LL'ſ 'ſ'S 's'T'Re'vE \u212a'\u212a",
  'digits of two scripts': '1１０１０ 12２０２０ 123４５ 1２0３4',
  'white space':
    '\u0085 \u0085\n\ufeff\ufeff\r\n\u00a0\u00a0x\u2028\u2029 \u3000y \u200b\u180e \v\f\t\n  \n   z',
  'lone surrogates': '\ud83d \ude00 a\ud800b\udfff\udfff漢\ud83d',
  empty: '',
}

describe.each(encodings)('the counts of %s equal those of tiktoken', (encoding) => {
  it.each(Object.keys(texts))('for %s', (name) => expectSameAsTiktoken(texts[name]!, encoding))

  it('for texts of odd fragments', () => {
    const words =
      "'s 'S 'ſ 't 'RE 've 'Ll 'd 'm ' ’s ſ K a B foo Bar HTTP camelCase XMLHttp ǅ ʰ ª É é e\u0301 \u0301 ß 1 12 123 1234 ٣ ½ Ⅷ _ - / // . … { → € 🙂 漢 の ก א ا 𝒳"
    const blanks = [
      ' ',
      '  ',
      '\t',
      '\n',
      '\r\n',
      '\r',
      '\u0085',
      '\ufeff',
      '\u00a0',
      '\u2028',
      '\u3000',
      '\v',
      '\u200b',
    ]
    const odd = ['/\n', '\n/', '\u0000', '\ud800', '\udc00', '<|endoftext|>']
    const fragment = fc.constantFrom(...words.split(' '), ...blanks, ...odd)
    const text = fc.array(fragment, { maxLength: 24 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (sample) => expectSameAsTiktoken(sample, encoding)),
      { seed: seedOf(20_260_101), numRuns: repeats({ few: 120, all: 4000 }) },
    )
  })

  it('for texts of any characters', () => {
    // Without blocks that may get new letters: Node's Unicode may be newer or older than tiktoken's.
    const unit = fc.oneof(
      ...[
        [0x00, 0x370],
        [0x400, 0x530],
        [0x1e00, 0x1f00],
        [0x2000, 0x2070],
        [0x2190, 0x2c00],
        [0x3000, 0x3040],
        [0x4e00, 0xa000],
        [0xac00, 0xd7a4],
        [0xd800, 0xe100],
        [0xfe00, 0xfe10],
        [0xff00, 0xffbf],
        [0x1f300, 0x1f650],
        [0x20000, 0x2a6e0],
        [0xe0000, 0xe0200],
      ].map(([from, to]) => fc.nat(to! - from! - 1).map((offset) => String.fromCodePoint(from! + offset))),
    )
    const text = fc.oneof(
      fc.array(unit, { maxLength: 30 }).map((units) => units.join('')),
      fc.string({ unit: 'binary-ascii', maxLength: 60 }),
    )
    fc.assert(
      fc.property(text, (sample) => expectSameAsTiktoken(sample, encoding)),
      { seed: seedOf(20_260_102), numRuns: repeats({ few: 120, all: 3000 }) },
    )
  })

  it('for pieces around the length at which the merge changes its method', () => {
    const letters = (unit: fc.Arbitrary<string>) => fc.string({ unit, minLength: 20, maxLength: 200 })
    const text = fc.oneof(
      letters(fc.constantFrom('a', 'b')),
      letters(fc.constantFrom(...'etaoinshr')),
      letters(fc.constantFrom(' ', '\t', '\n')),
      letters(fc.constantFrom('=', '-', '*', '/')),
      letters(fc.constantFrom('漢', '字', '的', '是')),
      letters(fc.constantFrom('🙂', '🎉', '\u200d', '\ufe0f')),
    )
    fc.assert(
      fc.property(text, (sample) => expectSameAsTiktoken(sample, encoding)),
      { seed: seedOf(20_260_103), numRuns: repeats({ few: 70, all: 1500 }) },
    )
  })

  it('for pieces of some thousand characters', () => {
    const unit = fc.constantFrom(
      [...'etaoinshr'],
      [...'xyzXYZ'],
      [...'漢字的是不'],
      ['🙂', '🎉'],
      [' ', '\t'],
      [...'=-*/'],
    )
    const text = unit.chain((units) =>
      fc.string({ unit: fc.constantFrom(...units), minLength: 2000, maxLength: 3000, size: 'max' }),
    )
    fc.assert(
      fc.property(text, (sample) => expectSameAsTiktoken(sample, encoding)),
      { seed: seedOf(20_260_104), numRuns: repeats({ few: 3, all: 20 }) },
    )
  })

  it('for a piece that the memo has seen before in another text', () => {
    const before = counters[encoding].count('naïve Übergröße')
    for (let i = 0; i < 250_000; i++) counters[encoding].count(`w${i.toString(36)}x`)
    expect(counters[encoding].count('naïve Übergröße')).toBe(before)
    expectSameAsTiktoken('naïve Übergröße w1x wzzx', encoding)
  })
})

describe('a text on which a quadratic tokenizer hangs', () => {
  const mega = repeats({ few: 2 ** 16, all: 2 ** 20 })
  // The numbers of o200k_base, from tokenizers that do finish on them.
  const cases: readonly (readonly [name: string, text: string, tokens: number])[] = [
    ['letters', 'a'.repeat(mega), mega / 8],
    ['spaces', ' '.repeat(mega), mega / 128],
    ['line feeds', '\n'.repeat(mega), mega / 16],
    ['dashes', '-'.repeat(mega), mega / 64],
    ['mixed white space', ' \t \n'.repeat(mega / 4), mega / 2],
    ['emoji', '🙂'.repeat(mega / 2), mega / 2],
    ['Chinese', '漢字仮名'.repeat(mega / 4), mega * 1.25],
    ['digits', '1234567890'.repeat(mega / 10 + 1).slice(0, mega), Math.ceil(mega / 3)],
    ['NUL', '\u0000'.repeat(100_000), 50_000],
    ['combining marks', `e${'\u0301'.repeat(100_000)}`, 100_001],
    ['BOM and CRLF', '\ufeffline\r\n'.repeat(50_000), 150_000],
  ]
  it.each(cases)('is counted: %s', async (_, text, tokens) => {
    await expectCpuBelow(2_000 + mega / 100, () => expect(counters.o200k_base.count(text)).toBe(tokens))
  })
})

describe('a piece longer than the limit', () => {
  it.each<[string, string, number]>([
    ...(everyPoint ? [['letters', 'a', 2 ** 21 + 2 ** 18] as [string, string, number]] : []),
    ['Greek capitals after a mark, beyond the stack of the regex', '\u0301Α', 2 ** 21],
  ])('is counted with an error of a few tokens at most: %s', (_, unit, times) => {
    const perUnit = counters.o200k_base.count(unit.repeat(4096)) / 4096
    const tokens = counters.o200k_base.count(unit.repeat(times))
    expect(Math.abs(tokens - perUnit * times)).toBeLessThan(8)
  })

  it('is not cut within a surrogate pair', () => {
    expect(counters.o200k_base.count('☺🙂🙂')).toBe(3)
    expect(counters.o200k_base.count(`☺${'🙂'.repeat(2 ** 20)}`)).toBe(2 ** 20 + 1)
  })
})

describe('tiktokenCounter', () => {
  it('is named after its encoding, o200k_base by default', () => {
    expect(tiktokenCounter().name).toBe('o200k_base')
    expect(tiktokenCounter('cl100k_base').name).toBe('cl100k_base')
  })

  it('refuses an encoding that it does not know', () => {
    expect(() => tiktokenCounter('p50k_base' as EncodingName)).toThrow(
      /expected one of o200k_base, cl100k_base, got p50k_base/,
    )
  })
})
