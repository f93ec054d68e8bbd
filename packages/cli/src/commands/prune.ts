import type { HistoryEntry } from '@tenfold/core'
import { bundleKinds } from '@tenfold/core/bundle'
import { pruneDumps } from '@tenfold/core/halt'
import { cleanLine, cleanText } from '@tenfold/core/internal'
import { planPrune, prune, pruneCheckpoints } from '@tenfold/core/store'
import { option, type ValuesOf } from '../options/option.ts'
import { storeToRead } from '../options/options.ts'
import { duration, listOf, parseTrack, wholeNumber } from '../options/parsers.ts'
import { openStorage } from '../store/open-store.ts'
import { countProgress } from '../terminal/progress.ts'
import { type Report, tableOf } from '../terminal/report.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { formatNumberOf } from '../terminal/text.ts'
import { defineCommand } from './define-command.ts'

const options = [
  storeToRead,
  option('--keep-last <n>', 'keep the newest n of each track and kind', { parse: wholeNumber(1) }),
  option('--older-than <time>', 'prune only what is older than this, such as 12h, 30d or 8w', {
    parse: duration,
  }),
  option('--kind <kind...>', 'only bundles of these kinds', { choices: bundleKinds }),
  option('--track <name...>', 'only these tracks', { parse: listOf(parseTrack) }),
  option('--checkpoints', 'prune checkpoints instead, with --delete', { conflicts: ['kind', 'dumps'] }),
  option('--dumps', 'prune halt dumps instead, with --delete', { conflicts: ['kind', 'track'] }),
  option('--delete', 'delete for good, including what an earlier prune moved away'),
  option('--dry-run', 'only print what would be done'),
] as const

type PruneOptions = ValuesOf<typeof options>

export const addCommand = defineCommand({
  name: 'prune',
  description:
    'Move old bundles, and archived logs that no bundle needs any more, to pruned/ in the store; or delete them. Delete old checkpoints or halt dumps.',
  options,
  json: 'one JSON object',
  help: `
LATEST and newer bundles are never pruned. Earlier bundles of a chain are, since what is still valid was carried over.
With both --keep-last and --older-than, a bundle is pruned only if it is beyond the newest n and older than the limit. A
moved bundle is still found by its id: tenfold show <id>. Checkpoints are counted on each track, whose newest always
stays; halt dumps for each task.

Examples:
  tenfold prune --keep-last 20 --dry-run
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

async function pruneStore(options: PruneOptions, { terminal, signal }: CommandContext): Promise<Report> {
  const { keepLast, olderThan, kind: kinds, track: tracks, dryRun = false, delete: deletes = false } = options
  const storage = await openStorage(options.store)
  const progress = countProgress(terminal)
  const report = ({ done, of }: { done: number; of: number }) => progress('pruning', done, of)
  const policy = { keepLast, olderThan, kinds, tracks, delete: deletes, signal, report }
  terminal.workWithoutReader()
  const done = dryRun ? planned(await planPrune(storage, policy), deletes) : await prune(storage, policy)
  const { moved, deleted, kept, archives, skipped } = done
  for (const { key, reason } of terminal.json ? [] : skipped)
    terminal.warn(`not changed: ${cleanLine(key)}: ${cleanText(reason)}`)
  const pruned = [...moved, ...deleted]
  const logs = archives.moved.length + archives.deleted.length
  const isDeletion = deleted.length + archives.deleted.length > 0
  const verb = isDeletion ? (dryRun ? 'Would delete' : 'Deleted') : dryRun ? 'Would move' : 'Moved'
  const bundles = formatNumberOf(isDeletion ? deleted.length : moved.length, 'bundle')
  const what = `${bundles}${logs === 0 ? '' : ` and ${formatNumberOf(logs, 'archived log')}`}`
  const short = (entries: readonly HistoryEntry[]) =>
    entries.map(({ id, track, kind, createdAt }) => ({ id, track, kind, createdAt }))
  return {
    json: { dryRun, archives, skipped, moved: short(moved), deleted: short(deleted), kept: short(kept) },
    table: tableOf(pruned, [
      ['ID', ({ id }) => id],
      ['TRACK', ({ track }) => track, { max: 20, drop: 1 }],
      ['KIND', ({ kind }) => kind, { drop: 2 }],
      ['SESSION', ({ title, sessionId }) => title ?? sessionId, { max: 50 }],
    ]),
    said: [
      pruned.length + logs === 0
        ? 'Nothing to prune.'
        : `${verb} ${what}${isDeletion ? ' for good' : ' to pruned/'}.`,
    ],
    failed: skipped.length > 0,
  }
}

function planned(
  { move, pruned, kept, archives, skipped }: Awaited<ReturnType<typeof planPrune>>,
  deletes: boolean,
) {
  return {
    moved: deletes ? [] : move,
    deleted: deletes ? [...pruned, ...move] : [],
    kept,
    archives: { moved: deletes ? [] : archives, deleted: deletes ? archives : [] },
    skipped,
  }
}

async function deleteOthers(
  { keepLast, olderThan, track: tracks, dumps, dryRun, store }: PruneOptions,
  { terminal, signal }: CommandContext,
): Promise<Report> {
  const storage = await openStorage(store)
  const policy = { keepLast, olderThan, dryRun, signal }
  terminal.workWithoutReader()
  const deleted = dumps
    ? (await pruneDumps(storage, policy)).map(({ haltId: id }) => ({ id }))
    : await pruneCheckpoints(storage, { ...policy, tracks })
  const count = formatNumberOf(deleted.length, dumps ? 'halt dump' : 'checkpoint')
  return {
    json: { dryRun: dryRun ?? false, deleted },
    lines: deleted.map(({ id }) => id),
    said: [
      deleted.length === 0
        ? 'Nothing to prune.'
        : `${dryRun ? 'Would delete' : 'Deleted'} ${count} for good.`,
    ],
  }
}
