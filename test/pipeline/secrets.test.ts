import { readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { bundleStore, compressLog, readSession, TenfoldError } from '@tenfold/core'
import { sessionToJsonl } from '@tenfold/core/readers'
import { fileStorage } from '@tenfold/storage-fs'
import { anthropicSummarizer } from '@tenfold/summarizers/anthropic'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { describe, expect, it } from 'vitest'
import { plantEverywhere, plantInWords, tokensIn } from '../support/plant.ts'
import { everyPoint } from '../support/repeats.ts'
import { testFolder } from '../support/test-folder.ts'
import { testStandIn } from '../support/test-stand-in.ts'

const logs = resolve(import.meta.dirname, '../../examples/logs')
const claudeCode = linesOf(join(logs, 'claude-code-small.jsonl'))
const codex = linesOf(join(logs, 'codex-csv-importer.jsonl')).slice(0, everyPoint ? undefined : 80)

const standIn = testStandIn('all')
const folder = testFolder('each')

/** Compresses a log with a model and with a store, and returns all bytes that left the process. */
async function leave(log: string, name: string): Promise<string> {
  const path = folder(`${name}.jsonl`)
  const store = folder(name)
  const before = standIn.received().length
  await writeFile(path, log)
  const said: string[] = []
  try {
    await compressLog(path, {
      summarizer: [
        anthropicSummarizer({ model: 'claude-opus-5-5', apiKey: 'test-key', baseURL: standIn.url }),
        extractiveSummarizer(),
      ],
      store: bundleStore(fileStorage(store)),
      report: (event) => said.push(JSON.stringify(event)),
    })
  } catch (error) {
    // A log that cannot be read writes nothing; its error message counts too.
    if (!TenfoldError.isInstance(error)) throw error
    said.push(error.message)
  }
  return [...said, standIn.received().slice(before), ...filesBelow(store)].join('\n')
}

function filesBelow(path: string): string[] {
  const names =
    statSync(path, { throwIfNoEntry: false }) === undefined
      ? []
      : readdirSync(path, { recursive: true, encoding: 'utf8' })
  return names
    .map((name) => join(path, name))
    .filter((name) => statSync(name).isFile())
    .flatMap((name) => {
      const bytes = readFileSync(name)
      return [name, (name.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString()]
    })
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}

/** Names that tell the reader what a record is: another text there makes another record of it. */
const structural = (place: string, text: string): boolean =>
  /(^|\.)(type|role|uuid|parentUuid|sessionId|timestamp|time|id|call_id|callId|tool_use_id|kind|status|origin|tenfold|agent|version|subtype|userType|requestId)$/.test(
    place,
  ) || text === ''

describe('a secret in a log', () => {
  it.each([
    ['claude-code', claudeCode],
    ['codex', codex],
  ])('reaches neither model nor store from any field of a %s log', async (name, lines) => {
    const { log, tokens } = plantInWords(lines, structural)
    expect(tokens.size).toBeGreaterThan(30)
    const left = await leave(log, name)
    expect(left).toContain('[redacted:github-token')
    expect(tokensIn(left, tokens)).toEqual([])
  })

  it('reaches neither from the export of the web, one document over many lines', async () => {
    const { log, tokens } = plantInWords(claudeCode, structural)
    const loglines = log.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    const left = await leave(JSON.stringify({ loglines }, null, 2), 'web')
    expect(left).toContain('claude-code-web')
    expect(tokensIn(left, tokens)).toEqual([])
  })

  it("reaches neither from Tenfold's session lines", async () => {
    const session = await readSession(join(logs, 'claude-code-small.jsonl'))
    const lines = (await linesOfSession(session)).filter((line) => line !== '')
    const { log, tokens } = plantInWords(lines, structural)
    expect(tokens.size).toBeGreaterThan(8)
    expect(tokensIn(await leave(log, 'tenfold'), tokens)).toEqual([])
  })

  // A name of a record or an id decides how the rest is read: such fields of one name have a log of their own, and in
  // `npm run soak` each place has.
  const groupOf = (place: string, text: string): string =>
    everyPoint ? place : structural(place, text) ? (/\w+$/.exec(place)?.[0] ?? '') : 'words'
  it.each([
    ['claude-code', claudeCode],
    ['codex', codex.slice(0, 14)],
  ])(
    'reaches neither in place of any text at all of a %s log, names of records and ids included',
    async (name, lines) => {
      const planted = plantEverywhere(lines, groupOf)
      expect(planted.reduce((sum, { tokens }) => sum + tokens.size, 0)).toBeGreaterThan(80)
      for (const [index, { log, tokens }] of planted.entries())
        expect(tokensIn(await leave(log, `${name}-${index}`), tokens)).toEqual([])
    },
  )

  it('is found by this test if nothing redacts', async () => {
    const { log, tokens } = plantInWords(claudeCode, structural)
    const path = folder('plain.jsonl')
    await writeFile(path, log)
    const store = folder('plain')
    await compressLog(path, {
      summarizer: extractiveSummarizer(),
      store: bundleStore(fileStorage(store)),
      redactors: [],
    })
    expect(tokensIn(filesBelow(store).join('\n'), tokens)).toHaveLength(tokens.size)
  })
})

async function linesOfSession(session: Awaited<ReturnType<typeof readSession>>): Promise<string[]> {
  let text = ''
  for await (const piece of sessionToJsonl(session)) text += piece
  return text.split('\n')
}
