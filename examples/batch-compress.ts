// A CI job: compress all logs of a folder, print what came of each, and fail when one that is not small takes more than a tenth.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compressLog } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

const most = 0.1
const [folder = fileURLToPath(new URL('../logs', import.meta.url))] = process.argv.slice(2)
const logs = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort()
assert(logs.length > 0, `there are no logs in ${folder}`)

const rows: string[] = []
const tooBig: string[] = []
for (const name of logs) {
  // Without a store nothing is written.
  const { bundle } = await compressLog(join(folder, name), {
    summarizer: extractiveSummarizer(),
    maxRatio: most,
  })
  const { sourceTokens, bundleTokens, ratio, band } = bundle.compression
  rows.push(
    `| ${name} | ${bundle.source.format} | ${sourceTokens} | ${bundleTokens} | ${(ratio * 100).toFixed(2)} % | ${band} |`,
  )
  if (ratio > most && band !== 'small') tooBig.push(name)
}
console.log(
  ['| log | format | source | bundle | ratio | band |', '|---|---|--:|--:|--:|---|', ...rows].join('\n'),
)
assert.deepEqual(tooBig, [], `above ${most} of the source tokens`)
