import { isUtf8 } from 'node:buffer'
import { dumpPaths } from '../halt/dump-keys.ts'
import type { DumpNote } from '../halt/dump-schema.ts'
import type { Halt } from '../halt/halt.ts'
import { cleanLine } from '../session/clean-text.ts'
import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import { notesOfLeft, timeOf } from './foreign-bundle.ts'
import { takenFields } from './taken-fields.ts'

/** The files of a foreign halt dump, by their paths in its folder. */
export type DumpFiles = ReadonlyMap<string, Uint8Array>

/** A halt dump in a form of others. */
export interface ForeignDump {
  readonly halt: Halt
  readonly createdAt: Date
  /** Where the sandbox was. Nothing is read there, since it is not as it was. */
  readonly sandboxRoot?: string
  /** The variables that it holds, by name. */
  readonly environment: Readonly<Record<string, string>>
  /** Content of its file manifest. */
  readonly files: readonly ForeignFile[]
  /** What our dump has no place for, and what could not be read. */
  readonly notes: readonly DumpNote[]
}

/** A file of a foreign file manifest. */
interface ForeignFile {
  readonly path: string
  readonly status: 'modified' | 'added' | 'deleted'
  readonly size?: number
}

/** The files of a foreign dump that are read here or kept unchanged. */
const { snapshots, ...paths } = dumpPaths

export const snapshotsFolder = `${snapshots}/`

/** Reads a dump: metadata, state, conversation, last execution and environment in files of their own. */
export function readForeignDump(held: DumpFiles, changed: Date): ForeignDump {
  const notes: DumpNote[] = []
  const parsed = (path: string): unknown => {
    const text = textOf(held.get(path))
    if (text === undefined) return undefined
    try {
      return JSON.parse(text)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      notes.push({ code: 'part-unreadable', message: `${path} is not JSON, so it is left out` })
      return undefined
    }
  }
  const metadata = takenFields(parsed(paths.metadata))
  const execution = takenFields(parsed(paths.execution))
  const at = timeOf(metadata.take('haltTimestamp', 'timestamp', 'createdAt'))
  const state = parsed(paths.state)
  const details = metadata.take('haltDetails', 'details')
  const id = metadata.text('haltId')
  const cwd = textOf(held.get(paths.workingDirectory))?.trim() || undefined
  const agent = known({
    mode: execution.text('agentMode', 'mode'),
    cwd: execution.text('workingDirectory', 'cwd') ?? cwd,
    prompt: execution.text('prompt'),
    response: execution.text('response'),
    stdout: execution.text('stdout'),
    stderr: execution.text('stderr'),
    exitCode: numberOf(execution.text('exitCode')),
    durationMs: numberOf(execution.text('durationMs')),
    conversation: conversationOf(held.get(paths.conversation)),
    toolCalls: listOf(parsed(paths.toolCalls)),
  })
  const halt: Halt = {
    reason: metadata.text('haltReason', 'reason') ?? 'unknown',
    // The id of the dump in its old place leads back to it.
    details: known({ haltId: id, details }),
    ...known({
      taskId: metadata.text('taskId'),
      iteration: numberOf(metadata.text('iteration')),
      projectId: metadata.text('projectId'),
      stateKey: metadata.text('redisStateKey', 'stateKey'),
    }),
    agent,
    ...(state !== undefined && { readState: async () => state }),
  }
  const sandboxRoot = metadata.text('sandboxRoot')
  const environment = Object.entries(json.fields(parsed(paths.environment))).map(([name, value]) => [
    name,
    String(value),
  ])
  const files = filesOf(parsed(paths.files))
  notes.push(...notesOfLeft([...metadata.left(), ...execution.left()]))
  const readable = new Set<string>(Object.values(paths))
  for (const path of held.keys())
    if (!readable.has(path) && !path.startsWith(snapshotsFolder))
      notes.push({
        code: 'file-left-out',
        message: `${cleanLine(path)} is no part of a halt dump, so it is left out`,
      })
  return {
    halt,
    createdAt: new Date(at ?? changed),
    ...known({ sandboxRoot }),
    environment: Object.fromEntries(environment),
    files,
    notes,
  }
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes !== undefined && isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text)
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

/** Its lines as values, so that they keep all their fields; its bytes if a line is not JSON. */
function conversationOf(bytes: Uint8Array | undefined): readonly unknown[] | Uint8Array | undefined {
  const text = textOf(bytes)
  if (text === undefined) return bytes
  try {
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line): unknown => JSON.parse(line))
  } catch (error) {
    if (error instanceof SyntaxError) return bytes
    throw error
  }
}

const statuses: Readonly<Record<string, ForeignFile['status']>> = {
  modified: 'modified',
  created: 'added',
  added: 'added',
  deleted: 'deleted',
}

/** A list of files with their status, or lists of modified and created ones. */
function filesOf(value: unknown): ForeignFile[] {
  const record = json.fields(value)
  const listed = listOf(value) ?? listOf(record.file_manifest) ?? listOf(record.files) ?? []
  const files = listed.flatMap((entry): ForeignFile[] => {
    const { path, status, size } = json.fields(entry)
    if (typeof path !== 'string' || path === '') return []
    const known = Number.isSafeInteger(size) && (size as number) >= 0 ? { size: size as number } : {}
    return [{ path, status: statuses[String(status)] ?? 'modified', ...known }]
  })
  const seen = new Set(files.map(({ path }) => path))
  const named = (list: unknown, status: ForeignFile['status']) =>
    (listOf(list) ?? []).flatMap((path): ForeignFile[] =>
      typeof path === 'string' && path !== '' && !seen.has(path) ? [{ path, status }] : [],
    )
  return [...files, ...named(record.modified_files, 'modified'), ...named(record.created_files, 'added')]
}
