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

/** A halt dump in a form of others. `notes`: what our dump has no place for, and what could not be read. */
export type ForeignDump = ReturnType<typeof readForeignDump>

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
export function readForeignDump(held: DumpFiles, changed: Date) {
  const notes: DumpNote[] = []
  const parsed = (path: string): unknown => {
    const text = textOf(held.get(path))
    const value = text === undefined ? undefined : json.parse(text)
    if (text !== undefined && value === undefined)
      notes.push({ code: 'part-unreadable', message: `${path} is not JSON, so it is left out` })
    return value
  }
  const metadata = takenFields(parsed(paths.metadata))
  const execution = takenFields(parsed(paths.execution))
  const at = timeOf(metadata.take('haltTimestamp timestamp createdAt'))
  const state = parsed(paths.state)
  const details = metadata.take('haltDetails details')
  const {
    haltId,
    iteration,
    reason = 'unknown',
    sandboxRoot,
    ...about
  } = metadata.texts({
    haltId: 'haltId',
    reason: 'haltReason reason',
    taskId: 'taskId',
    iteration: 'iteration',
    projectId: 'projectId',
    stateKey: 'redisStateKey stateKey',
    sandboxRoot: 'sandboxRoot',
  })
  const { exitCode, durationMs, ...run } = execution.texts({
    mode: 'agentMode mode',
    cwd: 'workingDirectory cwd',
    prompt: 'prompt',
    response: 'response',
    stdout: 'stdout',
    stderr: 'stderr',
    exitCode: 'exitCode',
    durationMs: 'durationMs',
  })
  const toolCalls = parsed(paths.toolCalls)
  const halt: Halt = {
    reason,
    // The id of the dump in its old place leads back to it.
    details: known({ haltId, details }),
    ...known({ ...about, iteration: numberOf(iteration) }),
    agent: known({
      ...run,
      cwd: run.cwd ?? (textOf(held.get(paths.workingDirectory))?.trim() || undefined),
      exitCode: numberOf(exitCode),
      durationMs: numberOf(durationMs),
      conversation: conversationOf(held.get(paths.conversation)),
      toolCalls: Array.isArray(toolCalls) ? toolCalls : undefined,
    }),
    ...(state !== undefined && { readState: async () => state }),
  }
  const environment = Object.entries(json.fields(parsed(paths.environment)))
  const files = filesOf(parsed(paths.files))
  const readable = new Set<string>(Object.values(paths))
  const others = [...held.keys()].filter((path) => !readable.has(path) && !path.startsWith(snapshotsFolder))
  notes.push(
    ...notesOfLeft([...metadata.left(), ...execution.left()]),
    ...others.map((path) => ({
      code: 'file-left-out',
      message: `${cleanLine(path)} is no part of a halt dump, so it is left out`,
    })),
  )
  return {
    halt,
    createdAt: new Date(at ?? changed),
    /** Where the sandbox was. Nothing is read there, since it is not as it was. */
    sandboxRoot,
    environment: Object.fromEntries(environment.map(([name, value]) => [name, String(value)])),
    files,
    notes,
  }
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes !== undefined && isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined
}

function numberOf(text = ''): number | undefined {
  return text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text)
}

/** Its lines as values, so that they keep all their fields; its bytes if a line is not JSON. */
function conversationOf(bytes: Uint8Array | undefined): readonly unknown[] | Uint8Array | undefined {
  const lines = textOf(bytes)
    ?.split('\n')
    .filter((line) => line.trim() !== '')
  const values = lines?.map(json.parse) ?? [undefined]
  return values.includes(undefined) ? bytes : values
}

const statuses = new Map<unknown, ForeignFile['status']>([
  ['created', 'added'],
  ['added', 'added'],
  ['deleted', 'deleted'],
])

/** A list of files with their status, or lists of modified and created ones. */
function filesOf(value: unknown): ForeignFile[] {
  const { created_files, file_manifest, files: inside, modified_files } = json.fields(value)
  const listed = [value, file_manifest, inside].find(Array.isArray)
  const files = json.objects(listed).map(({ path, status, size }) => ({
    path: json.text(path) ?? '',
    status: statuses.get(status) ?? 'modified',
    ...known({ size: json.count(size) }),
  }))
  const seen = new Set(files.map(({ path }) => path).concat(''))
  const named = (list: unknown, status: ForeignFile['status']) =>
    json.texts(json.list(list)).flatMap((path) => (seen.has(path) ? [] : [{ path, status }]))
  return [
    ...files.filter(({ path }) => path !== ''),
    ...named(modified_files, 'modified'),
    ...named(created_files, 'added'),
  ]
}
