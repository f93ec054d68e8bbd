import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import initSqlJs from 'sql.js'
import type { SampleLog } from '../../src/testing/reader-cases.ts'

const fixtures = new URL('../fixtures/', import.meta.url)
const unknownName = 'unknown-record.json'

/** The small logs of a format, made for these tests: `test/fixtures/<reader>/<any name>`. */
export function samplesOf(reader: string): SampleLog[] {
  return logsIn(reader)
}

/** Logs that each show one thing, and only what their outline says: `test/fixtures/<reader>/more/<what it shows>`. */
export function moreSamplesOf(reader: string): SampleLog[] {
  return logsIn(`${reader}/more`)
}

/** Databases of a format as JSON: `test/fixtures/<reader>/databases/<name>.json`. */
export function databasesOf(reader: string): SampleLog[] {
  return logsIn(`${reader}/databases`)
}

function logsIn(path: string): SampleLog[] {
  const folder = new URL(`${path}/`, fixtures)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== unknownName)
    .map(({ name }) => ({ name: `${path}/${name}`, bytes: readFileSync(new URL(name, folder)) }))
}

/** A log of several files: `test/fixtures/<reader>/families/<name>`. */
export interface Family {
  readonly reader: string
  readonly folder: string
  /** The log, below that folder. */
  readonly log: string
  /** The reader finds the log in the folder. */
  readonly isKnown: boolean
}

const cursorId = '0f9a3c52-1d2e-4f3a-8b4c-5d6e7f8a9b0c'
const rollout = 'rollout-2026-11-20T08-00-00-019f0000-bbbb-7000-8000-000000000001.jsonl'

export const families: readonly Family[] = [
  ['atif/companions', 'main.json', false],
  ['claude-code/subagents', 'main.jsonl', false],
  ['codex/children', `2026/11/20/${rollout}`, false],
  ['cline/cli', '1795300000000_ab1cd/1795300000000_ab1cd.messages.json', true],
  ['cline/task', 'tasks/1767600000000/ui_messages.json', true],
  ['copilot-cli/home', 'session-state/aaaaaaaa-0000-4000-8000-000000000001/events.jsonl', true],
  ['cursor/transcript', `${cursorId}/${cursorId}.jsonl`, true],
  ['factory-droid/settings', 'abc.jsonl', true],
  ['gemini-cli/subagent', 'chats/session-2026-05-04T08-00-3a8f0000.jsonl', true],
  ['opencode/export', 'exported.json', false],
  ['opencode/storage', 'storage/session/global/ses_2.json', true],
  ['openhands/conversation', 'abc/base_state.json', true],
  ['pi/folder', '2026-05-04T08-00-00-000Z_019f0000-bbbb-7000-8000-000000000001.jsonl', true],
  ['qwen-code/subagent', 'chats/c0ffee00-0000-4000-8000-0000000051e1.jsonl', true],
  ['vscode-chat/workspace', '0a1b/chatSessions/chat.jsonl', false],
].map(([path = '', log = '', isKnown]) => {
  const [reader = '', name = ''] = String(path).split('/')
  const folder = fileURLToPath(new URL(`${reader}/families/${name}`, fixtures))
  return { reader, folder, log: String(log), isKnown: isKnown === true }
})

/** Writes a database with the rows of a table by its name and columns: texts, numbers, and JSON as text. */
export async function writeDatabase(
  path: string,
  tables: Readonly<Record<string, readonly (readonly unknown[])[]>>,
): Promise<void> {
  const { Database } = await initSqlJs()
  const database = new Database()
  for (const [table, rows] of Object.entries(tables)) {
    database.run(`CREATE TABLE ${table}`)
    for (const row of rows) {
      const cells = row.map((cell) =>
        typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell,
      )
      const places = cells.map(() => '?').join(', ')
      database.run(
        `INSERT INTO ${table.split(' ', 1)[0]} VALUES (${places})`,
        cells as (string | number | null)[],
      )
    }
  }
  await writeFile(path, database.export())
  database.close()
}

/** The tables of a database as a fixture has them. */
export function tablesOf({ bytes }: SampleLog): Record<string, [string, unknown][]> {
  return JSON.parse(Buffer.from(bytes).toString('utf8'))
}

/** The small logs of all other formats. */
export function samplesBeside(reader: string): SampleLog[] {
  return fixtureFolders()
    .filter((name) => name !== reader)
    .flatMap(samplesOf)
}

/** Names of the readers that have samples. */
export function fixtureFolders(): string[] {
  return readdirSync(fixtures, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}

/** A record of a kind that the reader cannot know: `unknown-record.json` next to its samples. */
export function unknownRecordOf(reader: string): unknown {
  const folder = new URL(`${reader}/`, fixtures)
  if (!readdirSync(folder).includes(unknownName)) return undefined
  return JSON.parse(readFileSync(new URL(unknownName, folder), 'utf8'))
}
