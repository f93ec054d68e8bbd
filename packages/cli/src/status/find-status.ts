import type { AgentLog } from '@tenfold/core'
import { type CheckpointEntry, checkpointStore, type HistoryEntry, type Storage } from '@tenfold/core'
import { sessionsOfFolder } from '../sources/sessions-of-folder.ts'
import { openDigests } from '../state/digest-logs.ts'
import { openSeen } from '../state/seen-logs.ts'
import { openStorage, openStore } from '../store/open-store.ts'
import type { CommandContext } from '../terminal/command-context.ts'

/** Where the work in a folder stands. */
export interface Status {
  readonly folder: string
  readonly store: string
  readonly bundles: number
  readonly tracks: readonly string[]
  /** The newest bundle of all tracks, with what is open in it. */
  readonly last?: HistoryEntry & { readonly openErrors: number; readonly nextSteps: readonly string[] }
  /** The newest checkpoint of all tracks. */
  readonly checkpoint?: CheckpointEntry
  /** The newest sessions of this folder that are not compressed in their present state, newest first. */
  readonly uncompressed: readonly AgentLog[]
}

const maxSessions = 10

/** Finds out where the work in a folder stands, from its store and from the folders of the agents. */
export async function findStatus(
  folder: string,
  place: string,
  { terminal, signal }: CommandContext,
): Promise<Status> {
  const store = await openStore(place, terminal)
  const entries = [...(await store.list())].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  const newest = entries.at(-1)
  const checkpoint = await newestCheckpoint(await openStorage(place))
  const compressed = new Set(entries.map(({ sourceSha256 }) => sourceSha256))
  const status = {
    ...{ folder, store: place, bundles: entries.length, tracks: await store.tracks() },
    ...(checkpoint !== undefined && { checkpoint }),
    uncompressed: await notCompressed(await sessionsOfFolder(folder, maxSessions, signal), compressed),
  }
  if (newest === undefined) return status
  const { errors, nextSteps } = await store.load(newest.id)
  const openErrors = errors.filter(({ resolution }) => resolution === undefined).length
  return { ...status, last: { ...newest, openErrors, nextSteps: nextSteps.map(({ action }) => action) } }
}

async function newestCheckpoint(storage: Storage): Promise<CheckpointEntry | undefined> {
  const entries = await checkpointStore(storage).list()
  return entries.reduce<CheckpointEntry | undefined>(
    (last, entry) => (last === undefined || entry.createdAt > last.createdAt ? entry : last),
    undefined,
  )
}

async function notCompressed(
  logs: readonly AgentLog[],
  compressed: ReadonlySet<string>,
): Promise<AgentLog[]> {
  const digests = openDigests()
  const seen = openSeen()
  const open: AgentLog[] = []
  for (const log of logs) {
    const digest = await digests.digest(log.path)
    if (!compressed.has(digest) && seen.get(digest)?.bundle === undefined) open.push(log)
  }
  return open
}
