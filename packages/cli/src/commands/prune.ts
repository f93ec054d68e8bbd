import type { HistoryEntry } from '@tenfold/core'
import { bundleKinds } from '@tenfold/core/bundle'
import { pruneDumps } from '@tenfold/core/halt'
import { cleanLine, cleanText } from '@tenfold/core/internal'
import {
  type PrunePlan,
  type PruneOptions as PrunePolicy,
  planPrune,
  prune,
  pruneCheckpoints,
  type SkippedKey,
} from '@tenfold/core/store'
import { option, type ValuesOf } from '../options/option.ts'
import { storeToRead } from '../options/options.ts'
import { duration, listOf, parseTrack, wholeNumber } from '../options/parsers.ts'
import { openStorage } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { formatCount, formatNumberOf } from '../terminal/numbers.ts'
import { progressLine } from '../terminal/progress.ts'
import { printTable } from '../terminal/table.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const options = [
  storeToRead,
  option('--keep-last <n>', 'keep the newest n of each track and kind', { parse: wholeNumber(1) }),
  option('--older-than <time>', 'keep bundles younger than this, such as 12h, 30d or 8w', {
    parse: duration,
  }),
  option('--kind <kind...>', 'only bundles of these kinds', { choices: bundleKinds }),
  option('--track <name...>', 'only these tracks', { parse: listOf(parseTrack) }),
  option('--checkpoints', 'prune checkpoints instead, with --delete', { conflicts: ['kind', 'dumps'] }),
  option('--dumps', 'prune halt dumps instead, with --delete', { conflicts: ['kind', 'track'] }),
  option('--delete', 'delete for good, including what an earlier prune moved away'),
  option('--dry-run', 'only print what would be done'),
  option('--json', 'print one JSON object'),
] as const

type PruneOptions = ValuesOf<typeof options>

export const addCommand = defineCommand({
  name: 'prune',
  description:
    'Move old bundles, and archived logs that no bundle needs any more, to pruned/ in the store; or delete them. Delete old checkpoints or halt dumps.',
  options,
  help: `
The bundle that LATEST names, and newer ones, are never pruned. Earlier bundles of a chain are, since what of them still
holds was carried over. With both --keep-last and --older-than, a bundle is
pruned only if it is beyond the newest n and older than the limit. A moved bundle is still found by its id:
tenfold show <id>. Checkpoints are counted on each track, whose newest always stays; halt dumps for each task.

Examples:
  tenfold prune --keep-last 20 --dry-run
  tenfold prune --keep-last 5 --older-than 30d
  tenfold prune --older-than 26w --kind progress --delete
  tenfold prune --dumps --older-than 30d --delete`,
  fault(given) {
    if (given.keepLast === undefined && given.olderThan === undefined)
      return 'expected --keep-last, --older-than or both'
    const others = othersOf(given)
    if (others === undefined || given.delete || given.dryRun) return undefined
    return `expected --delete: ${others} are not moved to pruned/, only deleted`
  },
  run: (given, context) => (othersOf(given) === undefined ? pruneStore : deleteOthers)(given, context),
})

function othersOf({ checkpoints, dumps }: PruneOptions): string | undefined {
  return checkpoints ? 'checkpoints' : dumps ? 'halt dumps' : undefined
}

interface Outcome {
  readonly dryRun: boolean
  readonly moved: readonly HistoryEntry[]
  readonly deleted: readonly HistoryEntry[]
  readonly kept: readonly HistoryEntry[]
  readonly archives: { readonly moved: readonly string[]; readonly deleted: readonly string[] }
  readonly skipped: readonly SkippedKey[]
}

async function pruneStore(options: PruneOptions, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { keepLast, olderThan, kind, track } = options
  const storage = await openStorage(options.store)
  const progress = progressLine(terminal)
  const policy: PrunePolicy = {
    keepLast,
    olderThan,
    kinds: kind,
    tracks: track,
    delete: options.delete ?? false,
    signal,
    report: ({ done, of }) =>
      progress.show('prune', () => `pruning: ${formatCount(done)} of ${formatCount(of)}`),
  }
  terminal.workWithoutReader()
  const outcome: Outcome = options.dryRun
    ? planned(await planPrune(storage, policy), policy.delete === true)
    : { dryRun: false, ...(await prune(storage, policy)) }
  progress.clear()
  if (options.json) terminal.printJson(forJson(outcome), 2)
  else print(outcome, terminal)
  return outcome.skipped.length > 0 ? exitCodes.failed : exitCodes.done
}

async function deleteOthers(
  { keepLast, olderThan, track: tracks, dumps, dryRun, json, store }: PruneOptions,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const storage = await openStorage(store)
  const policy = { keepLast, olderThan, dryRun, signal }
  terminal.workWithoutReader()
  const deleted = dumps
    ? (await pruneDumps(storage, policy)).map(({ haltId: id }) => ({ id }))
    : await pruneCheckpoints(storage, { ...policy, tracks })
  const count = formatNumberOf(deleted.length, dumps ? 'halt dump' : 'checkpoint')
  if (json) terminal.printJson({ dryRun: dryRun ?? false, deleted }, 2)
  else if (deleted.length === 0) terminal.say('Nothing to prune.')
  else {
    terminal.print(deleted.map(({ id }) => id).join('\n'))
    terminal.say(`${dryRun ? 'Would delete' : 'Deleted'} ${count} for good.`)
  }
  return exitCodes.done
}

function planned({ move, pruned, kept, archives, skipped }: PrunePlan, deletes: boolean): Outcome {
  return {
    dryRun: true,
    moved: deletes ? [] : move,
    deleted: deletes ? [...pruned, ...move] : [],
    kept,
    archives: { moved: deletes ? [] : archives, deleted: deletes ? archives : [] },
    skipped,
  }
}

function forJson({ moved, deleted, kept, ...rest }: Outcome) {
  const short = ({ id, track, kind, createdAt }: HistoryEntry) => ({ id, track, kind, createdAt })
  return {
    ...rest,
    moved: moved.map(short),
    deleted: deleted.map(short),
    kept: kept.map(short),
  }
}

function print(
  { dryRun, moved, deleted, archives, skipped }: Outcome,
  terminal: CommandContext['terminal'],
): void {
  const rows = [...moved, ...deleted].map((entry) => [
    entry.id,
    entry.track,
    entry.kind,
    cleanLine(entry.title ?? entry.sessionId),
  ])
  if (rows.length > 0) printTable(terminal, columns, rows)
  for (const { key, reason } of skipped) terminal.warn(`not changed: ${cleanLine(key)}: ${cleanText(reason)}`)
  const logs = archives.moved.length + archives.deleted.length
  const what = (bundles: number): string =>
    `${formatNumberOf(bundles, 'bundle')}${logs === 0 ? '' : ` and ${formatNumberOf(logs, 'archived log')}`}`
  const deletes = deleted.length + archives.deleted.length > 0
  if (rows.length + logs === 0) terminal.say('Nothing to prune.')
  else if (deletes) terminal.say(`${dryRun ? 'Would delete' : 'Deleted'} ${what(deleted.length)} for good.`)
  else terminal.say(`${dryRun ? 'Would move' : 'Moved'} ${what(moved.length)} to pruned/.`)
}

const columns = [
  { title: 'ID' },
  { title: 'TRACK', max: 20, drop: 1 },
  { title: 'KIND', drop: 2 },
  { title: 'SESSION', max: 50 },
]
