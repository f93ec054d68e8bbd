import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { appendTo } from '../../session/append-to.ts'
import * as json from '../../session/json.ts'
import { unpackedName } from '../log/log-file.ts'
import type { Reader } from '../reader/reader.ts'
import { namesIn, packedFilesIn, startOfFile } from '../shared/folder-files.ts'
import { isBareMeta } from './shapes.ts'

/**
 * Reads rollout files of OpenAI Codex CLI, `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`: lines of `{timestamp, type,
 * payload}`, or in the oldest ones bare items without times. The output of `codex exec --json` is another format.
 * https://github.com/openai/codex/blob/main/codex-rs/protocol/src/protocol.rs
 */
export const codexReader: Reader = {
  name: 'codex',
  detect({ records }) {
    let score = 0
    for (const [index, value] of records.entries()) {
      const record = json.fields(value)
      const isWrapped =
        wrappers.test(json.text(record.type) ?? '') && json.object(record.payload) !== undefined
      if (isWrapped && record.type === 'session_meta') return 1
      if (isWrapped) score = Math.max(score, 'timestamp' in record ? 0.9 : 0.6)
      if (record.record_type === 'state' || (index === 0 && isBareMeta(record))) score = Math.max(score, 0.9)
    }
    return score
  },
  async sessionFiles(path, { records }) {
    const id = json.text(records[0], 'payload', 'id') ?? ''
    const own = unpackedName(basename(path))
    if (!/^[\w-]{1,128}$/.test(id) || !own.startsWith('rollout-')) return []
    const found: string[] = []
    for (const folder of await daysFrom(dirname(path)))
      for (const child of (await childrenIn(folder)).get(id) ?? [])
        if (unpackedName(basename(child)) > own) found.push(child)
    return found
  },
  read: async (records, out) => (await import('./read.ts')).readCodex(records, out),
}

const wrappers =
  /^(?:session_meta|response_item|event_msg|turn_context|compacted|world_state|inter_agent_communication(?:_metadata)?|token_usage_record)$/

const headBytes = 4096

/** Maximum days in which children of a thread are searched. */
const maxDays = 400

/** Returns the folders of a day and the following days, or only the folder if it is not that of a day. */
async function daysFrom(folder: string): Promise<string[]> {
  const [, root, year = '', month = '', day = ''] =
    /^(.*)[/\\](\d{4})[/\\](\d\d)[/\\](\d\d)$/.exec(folder) ?? []
  if (root === undefined) return [folder]
  const days: string[] = []
  for (const y of (await namesIn(root)).folders)
    for (const m of y < year ? [] : (await namesIn(join(root, y))).folders)
      for (const d of `${y}${m}` < `${year}${month}` ? [] : (await namesIn(join(root, y, m))).folders)
        if (`${y}${m}${d}` >= `${year}${month}${day}`) days.push(join(root, y, m, d))
  return days.slice(0, maxDays)
}

type Children = ReadonlyMap<string, readonly string[]>

/** The beginnings of rollouts never change, so they are read once per folder, however many logs are opened. */
const known = new Map<string, { readonly changed: number; readonly children: Promise<Children> }>()

async function childrenIn(folder: string): Promise<Children> {
  // A folder that cannot be read has no children.
  const { mtimeMs: changed } = await stat(folder).catch(() => ({ mtimeMs: -1 }))
  const before = known.get(folder)
  const children = before?.changed === changed ? before.children : readChildren(folder)
  known.set(folder, { changed, children })
  return await children
}

async function readChildren(folder: string): Promise<Children> {
  const byParent = new Map<string, string[]>()
  for (const [name, path] of await packedFilesIn(folder)) {
    if (!name.startsWith('rollout-') || !name.endsWith('.jsonl')) continue
    const parent = /"parent_thread_id":"([\w-]{1,128})"/.exec(await startOfFile(path, headBytes))?.[1]
    if (parent !== undefined) appendTo(byParent, parent, path)
  }
  return byParent
}
