import { describe, expect, it } from 'vitest'
import { statedValues, valuesOfProse } from '../../src/assemble/identifier-list.ts'

const texts = (text: string) => statedValues(text).map((value) => value.text)

describe('statedValues', () => {
  it.each([
    ['The stream-2964 service listens on port 37629.', ['stream-2964 port 37629']],
    ['The gateway listens on port 8443 now', ['port 8443']],
    ['It took 1500 tries.', ['1500']],
    [
      'See ORB-20650 in deploy/x-1/settings.yaml, with --fast-1=on.',
      ['ORB-20650', 'deploy/x-1/settings.yaml', '--fast-1'],
    ],
    ['Closed issue #4711 and pull request 312.', ['issue 4711', 'pull request 312']],
    ['The api-gateway has timeout: 3000. It is on port 9000.', ['api-gateway timeout 3000', 'port 9000']],
  ])('are names, and numbers with their units or subjects: %s', (text, expected) => {
    expect(texts(text)).toEqual(expected)
  })

  it('are not the digits in a name, a date, a decimal or a thousand', () => {
    expect(texts('On 2026-01-15 cache-2048 had 1,250 entries of 3.1415 kB, at 10.0.0.1245')).toEqual([])
  })

  it('stay linear on hostile text', () => {
    for (const text of [
      'port '.repeat(40_000),
      '9'.repeat(200_000),
      'a-'.repeat(100_000),
      'x 123 '.repeat(30_000),
    ])
      expect(statedValues(text).length).toBeGreaterThanOrEqual(0)
  }, 20_000)
})

describe('valuesOfProse', () => {
  const known = (entries: Record<string, { kind: 'path' | 'symbol' | 'flag'; count: number }>) =>
    new Map(Object.entries(entries))

  it('are values that occur once, and numbers with a label and an owner', () => {
    const identifiers = known({
      'ORB-1': { kind: 'symbol', count: 1 },
      'src/a.ts': { kind: 'path', count: 9 },
      '--slow': { kind: 'flag', count: 1 },
      readLog: { kind: 'symbol', count: 1 },
    })
    const text =
      'ORB-1: src/a.ts needs --slow, readLog. Port 5000, 6000 of them. The web-1 server has port 7000.'
    expect(valuesOfProse(text, identifiers).map((value) => value.text)).toEqual([
      'ORB-1',
      '--slow',
      'web-1 port 7000',
    ])
  })
})
