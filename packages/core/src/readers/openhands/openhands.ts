import { basename, dirname, join } from 'node:path'
import * as json from '../../session/json.ts'
import { unpackedName } from '../log/log-file.ts'
import type { Reader } from '../reader/reader.ts'
import { filesAt, namesIn } from '../shared/folder-files.ts'
import { linesUnlessDocument } from '../shared/framing.ts'
import { isConversationState, isRow, isV1Event, sources } from './shapes.ts'

const stateFile = 'base_state.json'
/** Matches `event-00001-<id>.json` of V1 and `12.json` of V0's store. */
const eventFile = /^(?:event-(\d+)(?:-[\w-]+)?|(\d+))\.json$/

/**
 * Reads logs of OpenHands. V1: conversations, `base_state.json` with `events/*.json`, or their events as a list or
 * JSONL. V0: trajectories, lists of actions and observations, and rows of `output.jsonl` that each hold one as
 * `history`. https://docs.all-hands.dev
 */
export const openHandsReader: Reader = {
  name: 'openhands',
  framing: linesUnlessDocument,
  detect({ records, document }) {
    const items = document === undefined ? records : [document].flat().slice(0, 50)
    let score = 0
    for (const item of items.flatMap((value) => (Array.isArray(value) ? value.slice(0, 2) : [value]))) {
      const value = json.fields(item)
      if (isV1Event(value) || isV0Event(value)) return 0.95
      // Rows of other benchmarks have chat messages as their history.
      const history = isRow(value) ? json.list(value.history).slice(0, 20).flat() : []
      const isKnown = history.some((each) => json.text(each, 'action') ?? json.text(each, 'observation'))
      if (isKnown || (document !== undefined && isConversationState(value))) score = 0.9
    }
    return score
  },
  // A conversation, a folder of all, or `~/.openhands`. Without a state, the first event represents the log.
  async logsInFolder(folder) {
    const { folders } = await namesIn(folder)
    const events = basename(folder) === 'events' ? folder : join(folder, 'events')
    const isOne = events === folder || folders.includes('events')
    if (isOne) return [...(await filesAt(folder, stateFile)), ...(await eventFiles(events))].slice(0, 1)
    const stores = basename(folder) === '.openhands' ? [/^(?:conversations|sessions)$/] : []
    const states = await filesAt(folder, ...stores, /./, stateFile)
    const logs: string[] = []
    for (const state of states)
      if ((await eventFiles(join(dirname(state), 'events'))).length > 0) logs.push(state)
    return logs
  },
  async sessionFiles(path) {
    const name = unpackedName(basename(path))
    if (name === stateFile) return await eventFiles(join(dirname(path), 'events'))
    if (!eventFile.test(name) || basename(dirname(path)) !== 'events') return []
    const all = await eventFiles(dirname(path))
    return all[0] === path ? all.slice(1) : []
  },
  companions(path) {
    const inEvents = basename(dirname(path)) === 'events'
    const folder = inEvents ? dirname(dirname(path)) : dirname(path)
    const isOwn = /^[\da-f]{32}$|^[\da-f-]{36}$/.test(basename(folder))
    return isOwn && (inEvents || basename(path) === stateFile) ? [folder] : []
  },
  sessions: async (records) => (await import('./read.ts')).listRows(records),
  read: async (records, out) => (await import('./read.ts')).readOpenHands(records, out),
}

async function eventFiles(folder: string): Promise<readonly string[]> {
  const numberOf = (path: string): number => {
    const [, newer = '', older = ''] = eventFile.exec(unpackedName(basename(path))) ?? []
    return Number(newer + older)
  }
  return (await filesAt(folder, eventFile)).sort((a, b) => numberOf(a) - numberOf(b))
}

function isV0Event({ action, args, content, id, observation, source }: json.Fields): boolean {
  const named = json.text(action) !== undefined || json.text(observation) !== undefined
  const filled = json.object(args) !== undefined || typeof content === 'string'
  return named && filled && Number.isInteger(id) && sources.test(json.text(source) ?? '')
}
