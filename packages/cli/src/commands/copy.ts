import { resolve } from 'node:path'
import { cleanLine } from '@tenfold/core/internal'
import { copyStore } from '@tenfold/core/store'
import { option } from '../options/option.ts'
import { listOf, parseStore, parseTrack } from '../options/parsers.ts'
import { openStorage } from '../store/open-store.ts'
import { countProgress } from '../terminal/progress.ts'
import { formatBytes, formatCount, formatNumberOf, formatShare } from '../terminal/text.ts'
import { defineCommand } from './define-command.ts'

const place = { parse: parseStore, mandatory: true } as const

export const addCommand = defineCommand({
  name: 'copy',
  description:
    'Copy a store into another, for example to move it from a folder to S3 or back. Safe to run again.',
  options: [
    option('--from <store>', 'a folder, or s3://bucket/prefix?endpoint=…', place),
    option('--to <store>', 'a folder, or s3://bucket/prefix?endpoint=…', place),
    option('--track <name...>', 'only these tracks, with their archives and their entries in the ledger', {
      parse: listOf(parseTrack),
    }),
    option('--no-archives', 'do not copy archived logs'),
  ],
  json: 'one JSON object',
  help: `
Archived logs are copied first, then bundles, then the history, then the ledger of the logs that are already compressed;
LATEST is rebuilt in the target.
Objects that the target already has are skipped, so an interrupted copy continues when it is run again. Objects that
differ in the target are reported and not overwritten. Copy once more after the last writer of the old store has ended,
then set TENFOLD_STORE.

Examples:
  tenfold copy --from .agents/bundles --to s3://bucket/bundles
  tenfold copy --from 's3://bucket/bundles?endpoint=http://localhost:9000' --to backup --track main

Exit codes: 0 everything is in the target, 1 conflicts or missing objects, 130 interrupted.`,
  fault: ({ from, to }) =>
    from === to || resolve(from) === resolve(to)
      ? 'expected two different stores for --from and --to, got the same one'
      : undefined,
  async run({ from, to, track, archives }, { terminal, signal }) {
    const progress = countProgress(terminal)
    terminal.workWithoutReader()
    const result = await copyStore(await openStorage(from), await openStorage(to), {
      tracks: track,
      archives,
      signal,
      report({ done, of, bytes, ofBytes }) {
        const share = ofBytes === 0 ? 1 : bytes / ofBytes
        progress('copying', done, of, ` objects, ${formatShare(share, 0)} of ${formatBytes(ofBytes)}`)
      },
    })
    const { copied, existing, conflicts, withoutBundle, missing } = result
    const hasAny = copied + existing > 0
    const isEmpty = copied + existing + conflicts.length + withoutBundle.length === 0
    if (!terminal.json) {
      for (const key of conflicts)
        terminal.warn(`conflict: ${key} differs in the target; it was not overwritten`)
      for (const key of withoutBundle) terminal.warn(`not copied: ${key}, because its bundle is missing`)
      for (const key of missing) terminal.warn(`missing: ${key} is not in the target after the copy`)
    }
    if (isEmpty) terminal.fail(`there is nothing to copy in ${cleanLine(from)}`)
    const before = existing === 0 ? '' : `, ${formatCount(existing)} already there`
    const size = `${formatNumberOf(copied, 'object')} (${formatBytes(result.bytes)})`
    return {
      json: result,
      said: [
        hasAny && `Copied ${size}${before}; ${formatNumberOf(result.tracks, 'track')}.`,
        hasAny && `Check it: tenfold verify --store ${cleanLine(to)}`,
      ],
      failed: isEmpty || conflicts.length + withoutBundle.length + missing.length > 0,
    }
  },
})
