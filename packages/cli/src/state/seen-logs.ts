import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasTexts, parseJson } from '../terminal/regular-file.ts'
import { unlessRefused } from '../terminal/thrown.ts'
import { isRemoteStore, stateFolder, statePlace } from './trust.ts'

export interface SeenLog {
  readonly digest: string
  readonly log: string
  readonly at: string
  readonly store: string
  readonly bundle?: string
  readonly failed?: string
  /** How often work on the log began but did not end: the process was killed, perhaps because of this log. */
  readonly begun?: number
  readonly version: string
}

export type SeenLogs = ReturnType<typeof openSeen>

const maxBeginnings = 3

export function stateOf(before: SeenLog | undefined, version: string): 'done' | 'failed' | 'open' {
  if (before?.bundle !== undefined) return 'done'
  if (before === undefined || before.version !== version) return 'open'
  return before.failed !== undefined || (before.begun ?? 0) >= maxBeginnings ? 'failed' : 'open'
}

export function openSeen() {
  const path = join(stateFolder(), 'seen.jsonl')
  const { seen, cut } = readSeen(path)
  const holds = new Map<string, boolean>()
  const byLog = new Map([...seen.values()].map((entry) => [entry.log, entry]))
  let open = cut

  function holdsBundles(store: string): boolean {
    const before = holds.get(store)
    if (before !== undefined) return before
    // A session with nothing to remember has only an entry in the ledger.
    const known = isRemoteStore(store) || ['bundles', 'done'].some((name) => existsSync(join(store, name)))
    holds.set(store, known)
    return known
  }

  const held = (entry: SeenLog | undefined) =>
    entry?.bundle && !holdsBundles(entry.store) ? undefined : entry

  return {
    /** Undefined also if the bundle's store has been deleted since. */
    get: (digest: string) => held(seen.get(digest)),
    of: (log: string) => held(byLog.get(log)),
    add(entry: SeenLog): void {
      holds.delete(entry.store)
      seen.set(entry.digest, entry)
      byLog.set(entry.log, entry)
      statePlace()
      // First, end a line that a killed process left incomplete.
      appendFileSync(path, `${open ? '\n' : ''}${JSON.stringify(entry)}\n`, { mode: 0o600 })
      open = false
    },
  }
}

function readSeen(path: string): { readonly seen: Map<string, SeenLog>; readonly cut: boolean } {
  const seen = new Map<string, SeenLog>()
  const text = unlessRefused(() => readFileSync(path, 'utf8'), '')
  for (const line of text.split('\n')) {
    // Skips a line that a killed process left incomplete, so its log is examined again.
    const entry = parseJson(line)
    if (hasTexts(entry, ['digest', 'log', 'store', 'version']))
      seen.set(entry.digest, entry as SeenLog & typeof entry)
  }
  return { seen, cut: text !== '' && !text.endsWith('\n') }
}
