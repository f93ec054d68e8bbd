import { describe, expect, it } from 'vitest'
import { everyPoint } from '../../../../test/support/repeats.ts'
import { defaultReaders } from '../../src/readers/default-readers.ts'
import { fileFromBytes } from '../../src/readers/log/log-file.ts'
import { bestReader, readHead } from '../../src/readers/reader/detect.ts'
import type { Reader } from '../../src/readers/reader/reader.ts'
import { readerCases } from '../../src/testing/reader-cases.ts'
import { fixtureFolders, samplesBeside, samplesOf, unknownRecordOf } from './samples.ts'

// Fixtures drive this: `test/fixtures/<reader>/`. The readers that others follow get more changed logs, and
// `npm run soak` runs the full count for all of them.
const thorough = ['claude-code', 'codex']
const [some, few] = [20, 5]

it('every format has samples', () => {
  expect(fixtureFolders().sort()).toEqual(defaultReaders.map(({ name }) => name).sort())
})

for (const reader of defaultReaders) {
  if (!fixtureFolders().includes(reader.name)) continue
  const harness = {
    reader,
    samples: samplesOf(reader.name),
    foreign: samplesBeside(reader.name),
    unknownRecord: unknownRecordOf(reader.name),
    ...(!everyPoint && { mutations: thorough.includes(reader.name) ? some : few }),
  }
  describe(`the ${reader.name} reader`, () => {
    for (const { name, run } of readerCases) it(name, () => run(harness))
  })
}

describe('detection', () => {
  it('picks the right reader for every sample', async () => {
    const picked = await Promise.all(
      fixtureFolders().flatMap((name) =>
        samplesOf(name).map(async (sample) => {
          const head = await readHead(fileFromBytes(sample.bytes, 'log'))
          return { sample: sample.name, reader: bestReader(head, defaultReaders)?.name }
        }),
      ),
    )
    expect(picked.filter(({ sample, reader }) => !sample.startsWith(`${reader}/`))).toEqual([])
  })

  it('asks the readers in order, and no more of them once one is certain', () => {
    const asked: string[] = []
    const scored = (name: string, score: number): Reader => ({
      name,
      detect() {
        asked.push(name)
        return score
      },
      async read() {},
    })
    const head = { name: 'log', text: '', records: [] }
    const best = bestReader(head, [scored('a', 0.9), scored('b', 0), scored('c', 1), scored('d', 1)])
    expect(best?.name).toBe('c')
    expect(asked).toEqual(['a', 'b', 'c'])
    expect(bestReader(head, [scored('a', 0.9), scored('b', 0.9)])?.name).toBe('a')
    expect(bestReader(head, [scored('a', 0)])).toBeUndefined()
  })
})
