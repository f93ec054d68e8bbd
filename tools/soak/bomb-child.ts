// Compresses one log into a store and prints the outcome and its cost, as JSON. Arguments: the log, the store's folder.
import { writeSync } from 'node:fs'
import { bundleStore, compressLog, TenfoldError } from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

const [, , log = '', folder = ''] = process.argv

async function outcome(): Promise<string> {
  try {
    const { bundle } = await compressLog(log, {
      summarizer: extractiveSummarizer(),
      store: bundleStore(fileStorage(folder)),
    })
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
