import { basename, dirname, join } from 'node:path'
import { asObject, asText } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'
import { namesIn, startOfFile } from '../shared/folder-files.ts'

/** The ids are in the first fields of the first line. */
const headBytes = 4096

/** Rollouts of child threads, in the folder of the day on which their parent began. */
export async function childRollouts(path: string, { records }: LogHead): Promise<readonly string[]> {
  const meta = asObject(asObject(records[0])?.payload)
  const id = asText(meta?.id)
  const own = basename(path)
  if (id === undefined || !/^[\w-]{1,128}$/.test(id) || !own.startsWith('rollout-')) return []
  const folder = dirname(path)
  const { files } = await namesIn(folder)
  const found: string[] = []
  for (const name of files.filter((file) => isLater(file, own))) {
    const start = await startOfFile(join(folder, name), headBytes)
    if (start.includes(`"parent_thread_id":"${id}"`)) found.push(join(folder, name))
  }
  return found
}

/** Names begin with the time, so a child's is later. */
function isLater(name: string, own: string): boolean {
  return name.startsWith('rollout-') && name.endsWith('.jsonl') && name > own
}
