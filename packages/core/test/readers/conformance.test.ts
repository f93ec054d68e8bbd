import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { codexReader } from '../../src/readers/codex.ts'
import { readSession } from '../../src/readers/read-session.ts'
import type { Reader } from '../../src/readers/reader.ts'
import { tenfoldReader } from '../../src/readers/tenfold.ts'
import { sessionToJsonl } from '../../src/readers/write-session.ts'
import { type ReaderHarness, readerCases, type SampleLog } from '../../src/testing/reader-cases.ts'

function fixtures(folder: string): SampleLog[] {
  const url = new URL(`../fixtures/${folder}/`, import.meta.url)
  return readdirSync(url)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => ({ name: `${folder}/${name}`, bytes: readFileSync(new URL(name, url)) }))
}

const codex = fixtures('codex')
const tenfold = await Promise.all(
  codex.map(async ({ name, bytes }) => {
    const session = await readSession(bytes, { readers: [codexReader] })
    return { name: `${name} as Tenfold lines`, bytes: Buffer.from([...sessionToJsonl(session)].join('')) }
  }),
)
const exec: SampleLog = {
  name: 'codex exec --json',
  bytes: Buffer.from(
    '{"type":"thread.started","thread_id":"t"}\n{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Hi"}}\n',
  ),
}

const harnesses: readonly (ReaderHarness & { readonly reader: Reader })[] = [
  {
    reader: codexReader,
    samples: codex,
    foreign: [...tenfold, exec],
    unknownRecord: { timestamp: '2026-05-04T08:00:00.000Z', type: 'brand_new', payload: { type: 'x' } },
  },
  {
    reader: tenfoldReader,
    samples: tenfold,
    foreign: [...codex, exec],
    unknownRecord: { type: 'brand_new', text: 'of a later version' },
  },
]

for (const harness of harnesses) {
  describe(`the ${harness.reader.name} reader`, () => {
    for (const { name, run } of readerCases) it(name, { timeout: 120_000 }, () => run(harness))
  })
}
