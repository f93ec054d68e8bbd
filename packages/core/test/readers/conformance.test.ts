import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { claudeCodeReader } from '../../src/readers/claude-code/claude-code.ts'
import { codexReader } from '../../src/readers/codex/codex.ts'
import { readSession } from '../../src/readers/read-session.ts'
import type { Reader } from '../../src/readers/reader.ts'
import { tenfoldReader } from '../../src/readers/tenfold/tenfold.ts'
import { sessionToJsonl } from '../../src/readers/tenfold/write-session.ts'
import { type ReaderHarness, readerCases, type SampleLog } from '../../src/testing/reader-cases.ts'

function fixtures(folder: string): SampleLog[] {
  const url = new URL(`../fixtures/${folder}/`, import.meta.url)
  if (!existsSync(url)) return []
  return readdirSync(url)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => ({ name: `${folder}/${name}`, bytes: readFileSync(new URL(name, url)) }))
}

function claudeRecord(number: number, type: string, message: unknown): string {
  const id = (n: number): string => `0000000${n}-0000-4000-8000-000000000000`
  const record = {
    parentUuid: number === 1 ? null : id(number - 1),
    isSidechain: false,
    userType: 'external',
    cwd: '/srv/shop',
    sessionId: 'c0ffee00-0000-4000-8000-000000000000',
    version: '2.1.0',
    gitBranch: 'main',
    type,
    message,
    uuid: id(number),
    timestamp: `2026-05-04T08:00:0${number}.000Z`,
  }
  return `${JSON.stringify(record)}\n`
}

function claudeAnswer(number: number, content: unknown): string {
  const usage = { input_tokens: 10 * number, output_tokens: number }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [content],
    usage,
  }
  return claudeRecord(number, 'assistant', message)
}

const claudeSample: SampleLog = {
  name: 'claude-code lines',
  bytes: Buffer.from(
    [
      claudeRecord(1, 'user', { role: 'user', content: 'Round the totals.' }),
      claudeAnswer(2, { type: 'text', text: 'I look for the sum.' }),
      claudeAnswer(3, { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'npm test' } }),
      claudeRecord(4, 'user', {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '12 passed', is_error: false }],
      }),
      claudeAnswer(5, { type: 'text', text: 'All pass.' }),
      claudeRecord(6, 'user', { role: 'user', content: [{ type: 'text', text: 'Commit it.' }] }),
    ].join(''),
  ),
}

const codex = fixtures('codex')
const claude = [claudeSample, ...fixtures('claude-code')]
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
    foreign: [...tenfold, ...claude, exec],
    unknownRecord: { timestamp: '2026-05-04T08:00:00.000Z', type: 'brand_new', payload: { type: 'x' } },
  },
  {
    reader: claudeCodeReader,
    samples: claude,
    foreign: [...codex, ...tenfold, exec],
    unknownRecord: { type: 'brand-new', sessionId: 'c0ffee00-0000-4000-8000-000000000000', uuid: 'x' },
  },
  {
    reader: tenfoldReader,
    samples: tenfold,
    foreign: [...codex, ...claude, exec],
    unknownRecord: { type: 'brand_new', text: 'of a later version' },
  },
]

for (const harness of harnesses) {
  describe(`the ${harness.reader.name} reader`, () => {
    for (const { name, run } of readerCases) it(name, { timeout: 120_000 }, () => run(harness))
  })
}
