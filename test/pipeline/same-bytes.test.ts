import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const logs = ['claude-code-small.jsonl', 'codex-csv-importer.jsonl'].map((name) =>
  resolve(root, 'examples/logs', name),
)

/** Compresses logs in their order; prints their bundles by name, without the id and the time of each. */
const program = `
  const { bundleToMarkdown, compressLog } = await import('@tenfold/core')
  const { extractiveSummarizer } = await import('@tenfold/summarizers/extractive')
  const bundles = {}
  for (const log of process.argv.slice(1)) {
    const { bundle } = await compressLog(log, { summarizer: extractiveSummarizer() })
    bundles[log] = [bundleToMarkdown(bundle), JSON.stringify(bundle)]
      .map((text) => text.replaceAll(bundle.id, 'ID').replaceAll(bundle.createdAt, 'TIME'))
  }
  console.log(JSON.stringify(bundles))
`

async function bundlesOf(order: readonly string[], env: Record<string, string>) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program, ...order],
    { cwd: resolve(root, 'test'), env: { PATH: process.env.PATH, ...env }, maxBuffer: 1 << 26 },
  )
  return JSON.parse(stdout) as Record<string, [markdown: string, json: string]>
}

describe('compressing a log', () => {
  it('gives the same bundle in any process, order, language and time zone, except for its id and time', async () => {
    const one = await bundlesOf(logs, { TZ: 'Asia/Kathmandu', LANG: 'C', LC_ALL: 'C' })
    const two = await bundlesOf(logs.toReversed(), { TZ: 'America/Los_Angeles', LC_ALL: 'tr_TR.UTF-8' })
    expect(Object.keys(one).sort()).toEqual([...logs].sort())
    for (const log of logs) expect(two[log]).toEqual(one[log])
  })
})
