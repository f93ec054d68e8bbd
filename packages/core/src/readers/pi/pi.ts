import * as json from '../../session/json.ts'
import type { Reader } from '../reader/reader.ts'
import { filesAt } from '../shared/folder-files.ts'

/**
 * Reads sessions of the pi coding agent, `~/.pi/agent/sessions/<folder>/*.jsonl`, versions 1 to 3, and the output of
 * `pi --mode json`. https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/docs/session-format.md
 */
export const piReader: Reader = {
  name: 'pi',
  marksFailedCommands: true,
  detect({ records }) {
    const first = json.object(records[0])
    if (first?.type === 'session' && json.text(first.cwd) !== undefined) {
      if (typeof first.version === 'number' || json.text(first.provider) !== undefined) return 0.95
    }
    // The beginning was cut off.
    const entries = records.map((each) => json.object(each))
    const own = entries.filter((entry) => entry !== undefined && isOwnEntry(entry)).length
    return own > 0 && own * 2 >= entries.length ? 0.7 : 0
  },
  logsInFolder: (folder) => filesAt(folder, /^\d{4}-\d\d-\d\dT[\d-]{8,16}Z_[\w-]{8,64}\.jsonl$/),
  read: async (records, out) => (await import('./read.ts')).readPi(records, out),
}

/** pi writes two times for a message: as text on the entry, and as a number on the message. */
function isOwnEntry({ type, message, timestamp }: json.Fields): boolean {
  const inner = json.object(message)
  const isSpoken = json.text(inner?.role) !== undefined && typeof inner?.timestamp === 'number'
  return type === 'message' && isSpoken && json.text(timestamp) !== undefined
}
