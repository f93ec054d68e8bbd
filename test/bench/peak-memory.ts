// Run as a process of its own: compresses the log of its argument, or none, and prints the most memory it held, in bytes.
import { compressLog, tiktokenCounter } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

const [log] = process.argv.slice(2)
const counter = tiktokenCounter()
counter.count('load the encoding')
if (log !== undefined) await compressLog(log, { summarizer: extractiveSummarizer(), counter })
process.stdout.write(`${process.resourceUsage().maxRSS * 1024}\n`)
