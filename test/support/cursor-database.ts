import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import initSqlJs from 'sql.js'

/** A row of the editor's tables: its key, and its value as JSON or as the text it is. */
export type EditorRow = readonly [key: string, value: unknown]

/** Writes a database as the editor of Cursor does: `cursorDiskKV`, the heads of conversations, and tokens to leave alone. */
export async function writeEditorDatabase(
  path: string,
  rows: readonly EditorRow[],
  heads: readonly EditorRow[] = [],
): Promise<void> {
  const { Database } = await initSqlJs()
  const database = new Database()
  database.run(`CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
    CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
    CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER,
      lastUpdatedAt INTEGER, isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER, value TEXT);
    INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'not for a bundle')`)
  for (const [key, value] of rows) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    database.run('INSERT INTO cursorDiskKV VALUES (?, ?)', [key, text])
  }
  for (const [id, value] of heads)
    database.run('INSERT INTO composerHeaders (composerId, value) VALUES (?, ?)', [id, JSON.stringify(value)])
  await writeFile(path, database.export())
  database.close()
}

/** A conversation and its messages, each with the fields that count. */
export function conversation(
  id: string,
  data: object,
  bubbles: readonly Readonly<Record<string, unknown>>[],
): EditorRow[] {
  const ids = bubbles.map((_, index) => `${id}-${index + 1}`)
  const headers = ids.map((bubbleId, index) => ({ bubbleId, type: bubbles[index]?.type }))
  return [
    [`composerData:${id}`, { _v: 17, composerId: id, fullConversationHeadersOnly: headers, ...data }],
    ...bubbles.map((bubble, index): EditorRow => {
      const bubbleId = ids[index] ?? ''
      return [
        `bubbleId:${id}:${bubbleId}`,
        { _v: 3, bubbleId, tokenCount: { inputTokens: 0, outputTokens: 0 }, ...bubble },
      ]
    }),
  ]
}

export function userSaid(text: string, fields: object = {}): Record<string, unknown> {
  return { type: 1, text, ...fields }
}

export function agentSaid(text: string, fields: object = {}): Record<string, unknown> {
  return { type: 2, text, ...fields }
}

/** A call as the editor keeps it: arguments and result are JSON as text. */
export function toolRan(
  name: string,
  params: object,
  result: object | undefined,
  fields: object = {},
): Record<string, unknown> {
  const data = {
    tool: 15,
    name,
    status: 'completed',
    params: JSON.stringify(params),
    ...(result !== undefined && { result: JSON.stringify(result) }),
    additionalData: {},
    ...fields,
  }
  return { type: 2, text: '', capabilityType: 15, toolFormerData: data }
}

/**
 * Writes `store.db` as the CLI of Cursor does: messages by their hash, a root in Protocol Buffers that lists the hashes
 * of those in the conversation, and metadata in hexadecimal.
 */
export async function writeChatDatabase(
  path: string,
  meta: object,
  messages: readonly object[],
  left: readonly object[] = [],
): Promise<void> {
  const { Database } = await initSqlJs()
  const database = new Database()
  database.run(`CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB);
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)`)
  const put = (data: Buffer): Buffer => {
    const hash = createHash('sha256').update(data).digest()
    database.run('INSERT OR IGNORE INTO blobs VALUES (?, ?)', [hash.toString('hex'), data])
    return hash
  }
  for (const message of left) put(Buffer.from(JSON.stringify(message)))
  const hashes = messages.map((message) => put(Buffer.from(JSON.stringify(message))))
  // Field 1 is a message's hash; field 5 a number, field 9 the folder.
  const root = put(
    Buffer.concat([
      ...hashes.flatMap((hash) => [Buffer.from([0x0a, hash.length]), hash]),
      Buffer.from([0x28, 0xac, 0x02, 0x4a, 4]),
      Buffer.from('/srv'),
    ]),
  )
  const value = JSON.stringify({ latestRootBlobId: root.toString('hex'), ...meta })
  database.run('INSERT INTO meta VALUES (?, ?)', ['0', Buffer.from(value).toString('hex')])
  await writeFile(path, database.export())
  database.close()
}
