import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const program = fileURLToPath(new URL('../../tools/dist/eval/eval.js', import.meta.url))

const record = (uuid: string, type: string, message: object, more: object = {}) => ({
  parentUuid: null,
  isSidechain: false,
  sessionId: 's-1',
  version: '2.1.0',
  cwd: '/srv/shop',
  uuid,
  type,
  message,
  ...more,
})
const call = (id: string, command: string) =>
  record(`a-${id}`, 'assistant', {
    id: `m-${id}`,
    role: 'assistant',
    model: 'm',
    content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }],
    usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 2 },
  })
const result = (id: string, content: string, more: object = {}) =>
  record(`r-${id}`, 'user', {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content, ...more }],
  })

it('compares the readers with a manifest of what the sessions did', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenfold-agents-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const records = [
    record('u-1', 'user', { role: 'user', content: 'Round the totals.' }),
    call('c1', 'node cart.mjs'),
    result('c1', 'Exit code 3\nno', { is_error: true }),
    call('c2', 'node tax.mjs'),
    result('c2', 'done'),
  ]
  await writeFile(join(folder, 'a.jsonl'), records.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const truth = (second: object, usage: object) => ({
    tool_calls: [
      { id: 'c1', tool: 'Bash', command: 'node cart.mjs', status: 'error', exit_code: 3 },
      { id: 'c2', tool: 'Bash', command: 'node tax.mjs', status: 'ok', ...second },
    ],
    usage,
  })
  const right = { requests: 2, input: 20, cache_read: 10, output: 4 }
  const entry = { file: 'a.jsonl.gz', agent: 'claude-code', version: '2.1.0' }
  const files = [
    { ...entry, truth: truth({ exit_code: 0 }, right) },
    { ...entry, truth: truth({ exit_code: 1 }, { ...right, output: 5 }) },
    { ...entry, truth: truth({ id: 'c9', exit_code: 0 }, right) },
  ]
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ files }))
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--agents', folder, '--json'])
  expect(JSON.parse(stdout)).toMatchObject([
    { calls: { found: 2, of: 2 }, exits: { found: 2, of: 2 }, usage: true, extra: 0, unknown: 0, faults: [] },
    { exits: { found: 1, of: 2 }, usage: false },
    { calls: { found: 1, of: 2 }, extra: 1 },
  ])
  const table = await promisify(execFile)(process.execPath, [program, '--agents', folder, '--worst', '3'])
  expect(table.stdout).toContain('1 of 3 logs without a fault')
  expect(table.stdout).toContain('extra: Bash c2')
})
