// Compresses one log and prints the outcome and its cost, as JSON. Argument: the log.
import { writeSync } from 'node:fs'
import { compressLog, TenfoldError } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

const [, , log = ''] = process.argv

async function outcome(): Promise<string> {
  try {
    const { bundle } = await compressLog(log, { summarizer: extractiveSummarizer() })
    return `${bundle.source.events} events`
  } catch (error) {
    if (TenfoldError.isInstance(error)) return error.code
    throw error
  }
}

const start = performance.now()
const became = await outcome()
const seconds = (performance.now() - start) / 1000
const megabytes = process.resourceUsage().maxRSS / 1000
writeSync(1, JSON.stringify({ became, seconds, megabytes }))
