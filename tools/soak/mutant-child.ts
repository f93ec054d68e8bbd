// Reads, compresses and writes mutants of the small logs in a folder. Prints `at <seed> <log> <kind>` before each, a
// `fault <seed> <what>` for each fault, and `done`. Arguments: folder, first seed, how many.
import { readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import {
  bundleFromMarkdown,
  bundleToMarkdown,
  compressLog,
  parseBundle,
  readSession,
  recall,
  redactSession,
  renderBrief,
  secretRedactor,
  TenfoldError,
} from '@tenfold/core'
import { sessionToAtif, sessionToJsonl, sessionToMarkdown } from '@tenfold/core/readers'
import { replaySession } from '@tenfold/core/replay'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { renderPage } from '@tenfold/view'
import { seededRandom } from '../eval/random.ts'
import { mutate } from './mutants.ts'

const [, , folder = '', first = '', count = ''] = process.argv
const print = (line: string): number => writeSync(1, `${line.replaceAll('\n', ' ').slice(0, 600)}\n`)

const logs = readdirSync(folder, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()
  .map((path) => ({ path, bytes: readFileSync(path) }))

/** A log may be refused. An invalid bundle, or an error that is not one of ours, is a fault. */
function faultOf(error: unknown): string | undefined {
  if (TenfoldError.isInstance(error) && error.code !== 'invalid-bundle') return undefined
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

async function tryOut(log: Uint8Array): Promise<void> {
  const { bundle } = await compressLog(log, { summarizer: extractiveSummarizer() })
  const markdown = bundleToMarkdown(parseBundle(bundle))
  if (bundleToMarkdown(bundleFromMarkdown(markdown)) !== markdown)
    throw new Error('the Markdown of the bundle says something else')
  await renderBrief(bundle, { maxTokens: 800 })
  const session = await readSession(log)
  redactSession(session, [secretRedactor()])
  JSON.stringify(sessionToAtif(session))
  for (const _ of sessionToMarkdown(session));
  replaySession(session)
  renderPage(session, { bundle })
  await recall(session, 'the test that failed')
  const again = await readSession(Buffer.from([...sessionToJsonl(session)].join('')))
  if (again.events.length !== session.events.length)
    throw new Error(`${again.events.length} events were read back of ${session.events.length}`)
}

for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  const random = seededRandom(seed)
  const base = logs[Math.floor(random() * logs.length)]
  if (base === undefined) throw new Error(`${folder} holds no logs`)
  const other = logs[Math.floor(random() * logs.length)] ?? base
  const { bytes, kind } = mutate(base.bytes, random, other.bytes)
  print(`at ${seed} ${base.path.slice(folder.length + 1)} ${kind}`)
  try {
    await tryOut(bytes)
  } catch (error) {
    const fault = faultOf(error)
    if (fault !== undefined) print(`fault ${seed} ${fault}`)
  }
  if (Reflect.get({}, 'polluted') !== undefined) {
    print(`fault ${seed} Object.prototype was written to`)
    Reflect.deleteProperty(Object.prototype, 'polluted')
  }
}
print('done')
