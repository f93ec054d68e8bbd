import { describe, expect, it } from 'vitest'
import { repeats } from '../../../test/support/repeats.ts'
import { cpuOf, expectCpuBelow, leastCpu } from '../../core/test/support/cpu-time.ts'
import { createRedaction } from '../src/redaction.ts'
import { vendorShapes } from '../src/rules/token-shapes.ts'
import { secretRedactor } from '../src/secret-redactor.ts'

const redactor = secretRedactor()
const textSize = repeats({ few: 30_000, all: 300_000 })
/** Milliseconds of the processor that a text of that size may take. */
const limit = textSize / 300

/** Texts made to be slow: openings without ends, nested names, floods of prefixes. Each is repeated to full size. */
const textUnits = [
  'a',
  'A',
  '0',
  ' ',
  '\n',
  '"',
  "'",
  '`',
  '\\',
  '\\"',
  '=',
  '/',
  '@',
  '😀',
  '\u200b',
  '\u001b[',
  '\u001b]',
  '\u001b]8;;',
  '\u001b[31ma',
  '\\\\\\\\u001b[3',
  'password',
  'password=',
  'password="',
  `${'password='.repeat(300)}\n`,
  `${'token1:'.repeat(300)}\n`,
  'password: ',
  'password ',
  'token1:',
  'secret==',
  'key_=',
  "'token', '",
  '<password>',
  'token\\\\\\\\n',
  `token${' '.repeat(40)}\n`,
  `password="${'a1'.repeat(400)}`,
  '://',
  '://a:',
  '://a@',
  'eyJ',
  'eyJ-eyJ-',
  'eyJaaaaaaaaaaaaaaaaaa.',
  '.ey',
  'ZXlK/',
  'LS0tLS1CRUdJTi/',
  'MIIEpgIBA ',
  '-----BEGIN RSA PRIVATE KEY-----\n',
  '-----BEGIN RSA PRIVATE KEY-----\\n',
  `-----BEGIN PRIVATE KEY-----${'\\n'.repeat(90)}`,
  'PuTTY-User-Key-File-2: ',
  'Basic AAAAAAAA',
  'Bearer aaaaaaa.',
  ' -u a:b',
  'curl -u a:',
  'mysql -u ',
  'identified with x ',
  'kind: Secret\n',
  'kind: Secret\ndata:\n  a: aGVsbG8gd29ybGQ=\n',
  '{"kty":"',
  'facebook 1234567890123',
  '[redacted:password]',
  'zip -P ',
  'htpasswd -b ',
  `htpasswd -b ${'a '.repeat(300)}`,
  'openssl -passin pass:',
  'echo a | sudo -S ',
  'echo echo --password-stdin ',
  'auth=("a",',
  'CURLOPT_USERPWD, "a:',
  'pass=a(',
  'pass=aB1(x,',
  `${'aB3'.repeat(70)} `,
  'aB3_',
  'sk-proj-aB3.',
  'https://h/SU',
]

const prefixes = [...new Set(vendorShapes.map(({ prefix }) => prefix))]

/** Those units of which a flood costs more than it may, in each of five runs. */
async function tooSlow(
  units: readonly string[],
  most: number,
  run: (flood: string) => unknown,
): Promise<string[]> {
  const slow: string[] = []
  for (const unit of units) if ((await leastCpu(most, () => run(flood(unit)))) >= most) slow.push(unit)
  return slow
}

const flood = (unit: string, size = textSize): string =>
  unit.repeat(Math.ceil(size / unit.length)).slice(0, size)

describe('the cost of redaction', () => {
  it('stays small on every flood', async () => {
    expect(await tooSlow(textUnits, limit, (text) => redactor.find(text))).toEqual([])
  })

  it('stays small on floods of every prefix', async () => {
    const text = prefixes
      .flatMap((prefix) => ['', '.', '1:', '-aB3', '/'].map((tail) => flood(prefix + tail, 2000)))
      .join('\n')
    await expectCpuBelow((limit * text.length) / textSize, () => redactor.find(text))
  })

  it('stays small for texts that are read in another way too', async () => {
    const units = [
      '"a" ',
      '" "',
      `"${' '.repeat(80)}`,
      '"a" +\n',
      '\\"',
      '\u001b]0;a\u0007',
      '\u001b]0;',
      '00000000: 6161 6161  aaaa\n',
      `00000000: 6161${' '.repeat(120)}é\n`,
      `${'61'.repeat(400)}\n`,
      'abcdef ',
      '1→+aB3aB3aB3\n',
      '> -----BEGIN PRIVATE KEY-----\n',
      '│ a │\n',
      `│ ${' '.repeat(90_000)}a\n`,
      `+${'pass'.repeat(20_000)}\n`,
      '1→'.repeat(3),
      '+password:\n',
      '"-p","a",',
      'echo a ',
      '"--token","sshpass",',
    ]
    expect(await tooSlow(units, 2 * limit, (text) => createRedaction([redactor]).redact(text))).toEqual([])
  })

  it('grows with the text and no faster', async () => {
    const units = ['password=', 'token1:', 'eyJ-eyJ-', '://a:', '\u001b[31ma', '\\"', 'kind: Secret\n']
    const steep: string[] = []
    for (const unit of units) {
      const find = (size: number) => () => redactor.find(flood(unit, size))
      await cpuOf(find(20_000))
      const small = Math.max(2, await leastCpu(0, find(textSize / 3)))
      const most = small * 8 * 4
      if ((await leastCpu(most, find((textSize * 8) / 3))) >= most) steep.push(unit)
    }
    expect(steep).toEqual([])
  })

  it('is close to that of reading on ordinary text', async () => {
    const text = flood(
      '  at compile (src/plan/layout.ts:42:7)\n12 passed, 3 tokens of "words" and {"path": "a/b.ts"}\n',
      1_000_000,
    )
    await expectCpuBelow(1000, () => redactor.find(text))
  })
})
