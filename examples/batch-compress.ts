// A CI job: compresses all logs of a folder, prints each result, and fails if a log that is not small takes more than a
// tenth.
import assert from 'node:assert/strict'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compressLog, findLogs } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

const most = 0.1
const [folder = fileURLToPath(new URL('../logs', import.meta.url))] = process.argv.slice(2)
const { logs, skipped } = await findLogs(folder)
for (const { path, message } of skipped) console.log(`${path} ${message}`)
assert(logs.length > 0, `there are no logs in ${folder}`)

const rows: string[] = []
const tooBig: string[] = []
for (const { log } of logs) {
  const name = relative(folder, log)
  // Without a store nothing is written.
  const { bundle } = await compressLog(log, {
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
