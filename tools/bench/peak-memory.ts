// Run as a separate process: compresses the log in its argument, or none, and prints its peak memory in bytes.
import { readFileSync } from 'node:fs'
import { compressLog, tiktokenCounter } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

const [log] = process.argv.slice(2)
const counter = tiktokenCounter()
counter.count('load the encoding')
if (log !== undefined) await compressLog(log, { summarizer: extractiveSummarizer(), counter })
process.stdout.write(`${peakKilobytes() * 1024}\n`)

/** On Linux maxRSS may be that of the parent, which a process inherits when it starts; VmHWM is its own. */
function peakKilobytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS
  const [, own] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(own)
}
