// Submits a batch if the store has none, and collects until everything is done. Kills itself with SIGKILL at the n-th
// point: before and after each write to the store and each request to the server, except renewals of the lease and
// checks whether a batch has ended, whose number depends on how busy the machine is.
// Argument: JSON { vendor, url, openaiUrl, folder, sessions (file with JSON), killAt (0: never), leaseMs }.
import { readFileSync } from 'node:fs'
import Anthropic from '@anthropic-ai/sdk'
import { bundleStore } from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import { anthropicBatch } from '@tenfold/summarizers/anthropic'
import { collectBatch, listBatches, submitBatch } from '@tenfold/summarizers/batch'
import { openaiBatch } from '@tenfold/summarizers/openai'
import OpenAI from 'openai'

const { vendor, url, openaiUrl, folder, sessions, killAt, leaseMs } = JSON.parse(process.argv[2])

let points = 0
function point() {
  points += 1
  if (points === killAt) process.kill(process.pid, 'SIGKILL')
}

const files = fileStorage(folder)
const storage = {
  ...files,
  async put(key, bytes, condition) {
    if (key.endsWith('/lease.json')) return await files.put(key, bytes, condition)
    point()
    const stored = await files.put(key, bytes, condition)
    point()
    return stored
  },
}
async function watched(input, init) {
  const isLook = (init?.method ?? 'GET').toUpperCase() === 'GET' && /\/batches\/[^/]+$/.test(`${input}`)
  if (isLook) return await fetch(input, init)
  point()
  const response = await fetch(input, init)
  await response.clone().arrayBuffer()
  point()
  return response
}

const window = { contextWindow: 9000, maxOutputTokens: 2500, tokenFactor: 1 }
const sdk = { apiKey: 'sk-test', logLevel: 'off', fetch: watched }
const provider =
  vendor === 'anthropic'
    ? await anthropicBatch({
        ...window,
        model: 'claude-opus-5-5',
        client: new Anthropic({ ...sdk, baseURL: url }),
      })
    : await openaiBatch({ ...window, model: 'gpt-6-sol', client: new OpenAI({ ...sdk, baseURL: openaiUrl }) })
const counter = { name: 'bytes/4', count: (text) => Math.ceil(Buffer.byteLength(text) / 4) }
const limits = { settleMs: 0, pauseMs: 1, leaseMs }
const options = { provider, store: bundleStore(storage), counter, limits, maxReadRatio: 1 }

const [known] = await listBatches(storage)
const job =
  known?.job ?? (await submitBatch({ ...options, sessions: JSON.parse(readFileSync(sessions, 'utf8')) })).job
// Tells the parent that a batch may have to be ended for this process to go on.
process.stdout.write('collecting\n')
await collectBatch(job, { ...options, wait: true, pollMs: 20 })
