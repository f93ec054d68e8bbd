import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import initSqlJs from 'sql.js'

/** A session of a prompt and an answer. */
export interface OpenCodeSession {
  readonly id: string
  /** The session that started it, if a sub-agent runs in it. */
  readonly parent?: string
  readonly directory: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly prompt: string
  /** Absent if it was killed before. */
  readonly answer?: string
}

/** Writes a database as OpenCode does, with the columns that are read. */
export async function writeOpenCodeDatabase(
  path: string,
  sessions: readonly OpenCodeSession[],
): Promise<void> {
  const { Database } = await initSqlJs()
  const database = new Database()
  database.run(`CREATE TABLE session (id text, parent_id text, directory text, title text, version text, time_created integer, time_updated integer, revert text);
    CREATE TABLE message (id text, session_id text, time_created integer, data text);
    CREATE TABLE part (id text, message_id text, session_id text, data text);
    CREATE TABLE todo (session_id text, content text, status text, priority text, position integer)`)
  for (const { id, parent = null, directory, at, prompt, answer } of sessions) {
    database.run('INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, NULL)', [
      id,
      parent,
      directory,
      id,
      '1.18.33',
      at,
      at,
    ])
    const said = [['user', prompt], ...(answer === undefined ? [] : [['assistant', answer]])]
    for (const [index, [role, text]] of said.entries()) {
      const message = `msg_${id}_${index}`
      const data = JSON.stringify({ role, time: { created: at + index } })
      database.run('INSERT INTO message VALUES (?, ?, ?, ?)', [message, id, at + index, data])
      const part = JSON.stringify({ type: 'text', text })
      database.run('INSERT INTO part VALUES (?, ?, ?, ?)', [`prt_${message}`, message, id, part])
    }
  }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, database.export())
  database.close()
}
