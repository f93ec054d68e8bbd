import { basename, dirname, join } from 'node:path'
import { unpackedName } from '../log/log-file.ts'
import type { Reader } from '../reader/reader.ts'
import { filesOfFolders, namesIn, packedNamed } from '../shared/folder-files.ts'
import { linesUnlessDocument } from '../shared/framing.ts'
import { detectOpenHands } from './detect.ts'

/**
 * Reads logs of OpenHands. V1: conversations, `base_state.json` with `events/*.json`, or their events as a list or
 * JSONL. V0: trajectories, lists of actions and observations, and rows of `output.jsonl` that each hold one as
 * `history`. https://docs.all-hands.dev
 */
export const openHandsReader: Reader = {
  name: 'openhands',
  framing: linesUnlessDocument,
  detect: detectOpenHands,
  logsInFolder,
  sessionFiles,
  companions,
  sessions: async (records) => (await import('./read.ts')).listRows(records),
  read: async (records, out) => (await import('./read.ts')).readOpenHands(records, out),
}

const stateFile = 'base_state.json'
/** `event-00001-<id>.json` of V1, `12.json` of the store of V0. */
const eventFile = /^(?:event-(\d+)(?:-[\w-]+)?|(\d+))\.json$/

/**
 * Conversations in a folder: `~/.openhands/conversations/<id>` with `base_state.json` and `events/`, the folder of all
 * of them, or `~/.openhands`. The first event of a conversation without its state represents the log.
 */
async function logsInFolder(folder: string): Promise<readonly string[]> {
  const { files, folders } = await namesIn(folder)
  if (files.includes(stateFile) && folders.includes('events')) return [join(folder, stateFile)]
  if (folders.includes('events')) return (await eventFiles(join(folder, 'events'))).slice(0, 1)
  if (basename(folder) === 'events') return (await eventFiles(folder)).slice(0, 1)
  const stores = folders.filter((name) => name === 'conversations' || name === 'sessions')
  const logs: string[] = []
  for (const store of basename(folder) === '.openhands' ? stores.map((name) => join(folder, name)) : [folder])
    logs.push(...(await storedLogs(store)))
  return logs
}

async function storedLogs(store: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of await filesOfFolders(store, stateFile))
    if ((await eventFiles(join(dirname(path), 'events'))).length > 0) found.push(path)
  return found
}

/** The events of the conversation whose state, or whose first event, is at `path`. */
async function sessionFiles(path: string): Promise<readonly string[]> {
  const name = unpackedName(basename(path))
  if (name === stateFile) return await eventFiles(join(dirname(path), 'events'))
  if (!eventFile.test(name) || basename(dirname(path)) !== 'events') return []
  const all = await eventFiles(dirname(path))
  return all[0] === path ? all.slice(1) : []
}

function companions(path: string): readonly string[] {
  const inEvents = basename(dirname(path)) === 'events'
  const folder = inEvents ? dirname(dirname(path)) : dirname(path)
  const isOwn = /^[\da-f]{32}$|^[\da-f-]{36}$/.test(basename(folder))
  return isOwn && (inEvents || basename(path) === stateFile) ? [folder] : []
}

async function eventFiles(folder: string): Promise<readonly string[]> {
  const numberOf = (path: string): number =>
    Number(
      eventFile
        .exec(unpackedName(basename(path)))
        ?.slice(1)
        .join(''),
    )
  return [...(await packedNamed(folder, eventFile))].sort((a, b) => numberOf(a) - numberOf(b))
}
