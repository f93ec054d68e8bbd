import { readFileSync } from 'node:fs'
import { readSession } from '../../src/readers/read-session.ts'
import type { Session } from './events.ts'

/** A sample of a format, read like any log: by its content. */
export async function readSample(path: string): Promise<Session> {
  return await readSession(readFileSync(new URL(`../fixtures/${path}`, import.meta.url)))
}

/** A log that holds one JSON value, read as a format. */
export async function readValue(format: string, value: unknown): Promise<Session> {
  return await readSession({ parsed: value }, { format })
}

/** A log of lines of JSON, read as a format. */
export async function readJsonLines(format: string, values: readonly unknown[]): Promise<Session> {
  return await readSession(Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join('')), {
    format,
  })
}

/** The events in short: `user Round the totals`, `call bash`, `result error 1`. */
export function outline(session: Session): string[] {
  return session.events.map((event) => {
    const who = event.agent === 'main' ? '' : `${event.agent}: `
    if (event.type === 'tool_call') return `${who}call ${event.name} (${event.kind})`
    if (event.type === 'tool_result')
      return `${who}result ${event.status}${event.exitCode === undefined ? '' : ` ${event.exitCode}`}`
    if (event.type === 'user' || event.type === 'context')
      return `${who}${event.type} ${event.origin} ${event.text.split('\n', 1)[0]}`
    return 'text' in event ? `${who}${event.type} ${event.text.split('\n', 1)[0]}` : `${who}${event.type}`
  })
}
