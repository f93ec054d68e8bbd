import { resolve } from 'node:path'
import { cleanLine } from '@tenfold/core/internal'
import { type CopyResult, copyStore } from '@tenfold/core/store'
import { option, type ValuesOf } from '../options/option.ts'
import { listOf, parseStore, parseTrack } from '../options/parsers.ts'
import { openStorage } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { formatBytes, formatCount, formatNumberOf, formatShare } from '../terminal/numbers.ts'
import { progressLine } from '../terminal/progress.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const place = { parse: parseStore, mandatory: true } as const
const options = [
  option('--from <store>', 'a folder, or s3://bucket/prefix?endpoint=…', place),
  option('--to <store>', 'a folder, or s3://bucket/prefix?endpoint=…', place),
  option('--track <name...>', 'only these tracks, with their archives and their entries in the ledger', {
    parse: listOf(parseTrack),
  }),
  option('--no-archives', 'do not copy archived logs'),
  option('--json', 'print one JSON object'),
] as const

type CopyOptions = ValuesOf<typeof options>

export const addCommand = defineCommand({
  name: 'copy',
  description:
    'Copy a store into another, for example to move it from a folder to S3 or back. Safe to run again.',
  options,
  help: `
Archived logs are copied first, then bundles, then the history that commits them, then the ledger, by which the target
knows which logs need not be compressed again; LATEST is rebuilt in the target.
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
  run: copy,
})

async function copy(options: CopyOptions, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const from = await openStorage(options.from)
  const to = await openStorage(options.to)
  const progress = progressLine(terminal)
  terminal.workWithoutReader()
  const result = await copyStore(from, to, {
    tracks: options.track,
    archives: options.archives,
    signal,
    report: ({ done, of, bytes, ofBytes }) =>
      progress.show('copy', () => {
        const share = ofBytes === 0 ? 1 : bytes / ofBytes
        return `copying: ${formatCount(done)} of ${formatCount(of)} objects, ${formatShare(share, 0)} of ${formatBytes(ofBytes)}`
      }),
  })
  progress.clear()
  if (options.json) terminal.printJson(result, 2)
  else print(result, options, terminal)
  const { copied, existing, conflicts, withoutBundle, missing } = result
  const empty = copied + existing + conflicts.length + withoutBundle.length === 0
  if (empty) terminal.fail(`there is nothing to copy in ${cleanLine(options.from)}`)
  const failed = empty || conflicts.length + withoutBundle.length + missing.length > 0
  return failed ? exitCodes.failed : exitCodes.done
}

function print(result: CopyResult, { to }: CopyOptions, terminal: CommandContext['terminal']): void {
  const { copied, bytes, existing, conflicts, withoutBundle, missing, tracks } = result
  for (const key of conflicts) terminal.warn(`conflict: ${key} differs in the target; it was not overwritten`)
  for (const key of withoutBundle) terminal.warn(`not copied: ${key}, because its bundle is missing`)
  for (const key of missing) terminal.warn(`missing: ${key} is not in the target after the copy`)
  if (copied + existing === 0) return
  const before = existing === 0 ? '' : `, ${formatCount(existing)} already there`
  terminal.say(
    `Copied ${formatNumberOf(copied, 'object')} (${formatBytes(bytes)})${before}; ${formatNumberOf(tracks, 'track')}.`,
  )
  terminal.say(`Check it: tenfold verify --store ${cleanLine(to)}`)
}
