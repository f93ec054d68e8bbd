import { join } from 'node:path'
import type { BundleStore } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { defaultReaders, sourceAgents } from '@tenfold/core/readers'
import { holdLock } from '@tenfold/storage-fs/lock'
import { isOwnProcess, ownMarker } from '../background/hooks/hook-agents.ts'
import { type HookJob, peekJobs } from '../background/hooks/job-queue.ts'
import {
  findTargets,
  isLasting,
  type KnownLogs,
  type SweepSkips,
  type SweepTarget,
  type SweptLog,
  settleJob,
  takeDueJobs,
} from '../background/sweep/targets.ts'
import { compressOne, libraryOptions } from '../compress/compress-one.ts'
import { compressedLines, outcomeJson } from '../compress/compress-report.ts'
import { outcomeReport } from '../compress/run-report.ts'
import { agentOption, makeRedactors, redactOptions } from '../options/log-options.ts'
import { modelFault, modelOptions, sharedSpending } from '../options/model-options.ts'
import { option, type ValuesOf } from '../options/option.ts'
import { madeKindOption, maxLogSizeOption } from '../options/options.ts'
import { parseHours, parseStore } from '../options/parsers.ts'
import { ownVersion } from '../own-package.ts'
import { openDigests } from '../state/digest-logs.ts'
import { openSeen, type SeenLog } from '../state/seen-logs.ts'
import { stateFolder, statePlace } from '../state/trust.ts'
import { openStoreToWrite } from '../store/open-store.ts'
import { showProgress } from '../terminal/progress.ts'
import { type Report, tableOf } from '../terminal/report.ts'
import type { CommandContext, ExitCode, Terminal } from '../terminal/terminal.ts'
import { formatNumberOf, textOfCounts } from '../terminal/text.ts'
import { messageOf } from '../terminal/thrown.ts'
import { withAdvice } from '../terminal/user-files.ts'
import { defineCommand } from './define-command.ts'

export const sweepOptions = [
  option('--store <store>', "one store for all logs (default: .agents/bundles in each log's project)", {
    env: 'TENFOLD_STORE',
    parse: parseStore,
  }),
  option('--idle <hours>', 'only logs that have not been written to for this long', {
    parse: parseHours,
    default: parseHours('4'),
    shown: '4',
  }),
  agentOption,
  madeKindOption,
  maxLogSizeOption,
  option('--retry', 'also try logs that failed before and have not changed since'),
  option('--dry-run', 'print what would be compressed, and write nothing'),
  option('--json', 'print one line of JSON per log'),
  option('--queued', 'compress only the queue of the hooks'),
  ...modelOptions,
  ...redactOptions,
] as const

type SweepOptions = ValuesOf<typeof sweepOptions>

const stateAdvice = 'Set TENFOLD_HOME to a folder that you can write to, also where the agent starts.'

/** If a sweep is killed at any point, the next one continues. Does nothing if another sweep is running. */
export async function runSweep(options: SweepOptions, context: CommandContext): Promise<Report | ExitCode> {
  const { terminal, signal } = context
  // Marks everything that a summarizer starts as tenfold's own.
  if (!isOwnProcess()) process.env[ownMarker] = '1'
  if (options.dryRun) return plannedReport(terminal, peekJobs(), await find(options, openKnown(), context))
  const state = { path: stateFolder(), done: 'written', advice: stateAdvice } as const
  // Only one process compresses at a time, so that each log is compressed once.
  const lock = await holdLock(join(await withAdvice(state, () => statePlace()), 'work.lock'))
  if ('heldBy' in lock) {
    const pid = lock.heldBy?.pid
    const none = `Another sweep is running${pid === undefined ? '' : ` (process ${pid})`}; nothing to do here.`
    return { json: { busy: true, pid: pid ?? null }, indent: 0, none }
  }
  terminal.workWithoutReader()
  const report = outcomeReport(terminal)
  let skips: readonly string[] = []
  try {
    // Read while holding the lock, because another sweep may just have ended.
    const known = openKnown()
    const work = { ...(await startWork(options, context, known)), report }
    await compressTargets(await takeDueJobs(known), work)
    if (!options.queued && !signal.aborted) {
      const { targets, skipped } = await find(options, known, context)
      known.digests.save()
      skips = skippedLines(skipped)
      await compressTargets(targets, work)
    }
    // Hooks may have added jobs meanwhile.
    while (!signal.aborted) {
      const jobs = await takeDueJobs(known)
      if (jobs.length === 0) break
      await compressTargets(jobs, work)
    }
  } finally {
    await lock.release()
  }
  const { known, stopped } = report.counts
  const before = known === 0 ? [] : [`${formatNumberOf(known, 'log')} already compressed.`]
  if (!terminal.json) terminal.say([report.total(), ...before, ...skips].join('\n'))
  if (signal.aborted) terminal.warn(`Interrupted: ${formatNumberOf(stopped, 'log')} left for the next sweep.`)
  return report.code(signal.aborted)
}

function openKnown(): KnownLogs {
  return { digests: openDigests(), seen: openSeen(), version: ownVersion() }
}

async function find(options: SweepOptions, known: KnownLogs, { terminal, signal }: CommandContext) {
  const { agent: agents = sourceAgents, idle, store, retry = false } = options
  const onFault = (message: string): void => terminal.warn(`warning: ${cleanLine(message)}`)
  return await findTargets({ agents, idle, store, retry, known, signal, onFault })
}

type Work = Awaited<ReturnType<typeof startWork>> & { readonly report: ReturnType<typeof outcomeReport> }

async function startWork(
  options: SweepOptions,
  { terminal, signal }: CommandContext,
  { seen, version }: KnownLogs,
) {
  const { limits, summarizers } = await sharedSpending(options)
  const redactors = await makeRedactors(options)
  const { dryRun, json, ...given } = options
  const whole = {
    ...{ ...given, store: '', track: 'main' },
    reading: { readers: defaultReaders, maxLogBytes: options.maxLogSize },
    ...{ maxRatio: 0.1, archive: true },
  }
  return {
    options: whole,
    library: libraryOptions(whole, { summarizer: summarizers, redactors, limits, signal }),
    ...{ seen, version, terminal, progress: showProgress(terminal) },
    stores: new Map<string, Promise<OpenedStore>>(),
  }
}

/** Compresses the oldest first, so that the newest becomes its store's LATEST. */
async function compressTargets(targets: readonly SweepTarget[], work: Work): Promise<void> {
  const done = new Set<string>()
  for (const target of targets) {
    // Two hooks may have requested the same log.
    const key = `${target.store}\0${target.digest}`
    const swept: SweptLog = done.has(key)
      ? { target, log: target.log, known: work.seen.get(target.digest)?.bundle ?? '' }
      : await compressTarget(target, work)
    done.add(key)
    if (target.job !== undefined) settleJob(target.job, swept)
    const lines = swept.done ? compressedLines(target.log, swept.done, work.terminal) : []
    work.report.show(swept, sweptJson(swept), lines)
  }
}

/** Never rejects because of a bad log or store. */
async function compressTarget(
  target: SweepTarget,
  { options, library, progress, seen, terminal, version, stores }: Work,
): Promise<SweptLog> {
  const { log, digest, store: place, track } = target
  let opened: OpenedStore
  try {
    const opening = stores.get(place) ?? openWithSources(place, terminal)
    stores.set(place, opening)
    opened = await opening
  } catch (error) {
    return { target, log, error: { code: 'store-failed', message: `${log}: ${messageOf(error)}` } }
  }
  const remember = (fields: Pick<SeenLog, 'bundle' | 'failed' | 'begun'>, of = digest): void =>
    seen.add({ digest: of, log, store: place, version, at: new Date().toISOString(), ...fields })
  // The run that made the bundle was killed before it could record it.
  const known = opened.sources.get(digest)
  if (known !== undefined) {
    remember({ bundle: known })
    return { target, log, known }
  }
  remember({ begun: (seen.get(digest)?.begun ?? 0) + 1 })
  const { store } = opened
  const given = target.job?.given
  const one = { options: { ...options, store: place }, library: { ...library, track, given }, store }
  const report = (event: Parameters<typeof progress>[1]) => progress(log, event)
  const work = { ...one, again: false, note: terminal.note, report }
  const { known: before, ...outcome } = await compressOne({ log }, work)
  const bundle = outcome.done?.bundle.id ?? before?.id
  if (bundle !== undefined) for (const of of [digest, ...(target.parts ?? [])]) remember({ bundle }, of)
  if (outcome.error !== undefined && isLasting(outcome.error.code)) remember({ failed: outcome.error.code })
  return { ...outcome, target, ...(before !== undefined && { known: before.id }) }
}

interface OpenedStore {
  readonly store: BundleStore
  readonly sources: ReadonlyMap<string, string>
}

async function openWithSources(place: string, terminal: Terminal): Promise<OpenedStore> {
  const store = await openStoreToWrite(place, terminal)
  return { store, sources: new Map((await store.list()).map(({ sourceSha256, id }) => [sourceSha256, id])) }
}

function sweptJson(swept: SweptLog): Record<string, unknown> {
  const { agent, store, job } = swept.target
  const why = { agent, store, queued: job?.event ?? null }
  const { known, ...outcome } = swept
  if (known !== undefined) return { log: swept.log, ...why, known }
  return { ...outcomeJson(outcome), ...why, ...(swept.done !== undefined && { track: swept.done.track }) }
}

function skippedLines({ done, busy, failed, own }: SweepSkips): string[] {
  const parts = textOfCounts(
    [done, `${done} already compressed`],
    [busy, `${busy} still in use or changed recently`],
    [failed, `${failed} failed before and unchanged (--retry tries again)`],
    [own, `${own} of tenfold's own sessions`],
  )
  return parts === '' ? [] : [`Skipped: ${parts}.`]
}

function plannedReport(
  terminal: Terminal,
  jobs: readonly HookJob[],
  { targets, skipped }: Awaited<ReturnType<typeof findTargets>>,
): Report | ExitCode {
  const row = ({ agent, log, store }: SweepTarget | HookJob, queued: string | null, when = 'now') => ({
    ...{ agent, log, store, queued, when },
  })
  const timeOf = ({ notBefore }: HookJob) =>
    notBefore > Date.now() ? new Date(notBefore).toISOString() : 'now'
  const rows = [
    ...jobs.map((job) => row(job, job.event, timeOf(job))),
    ...targets.map((target) => row(target, null)),
  ]
  if (terminal.json) {
    for (const each of rows) terminal.printJson({ ...each, dryRun: true })
    return 0
  }
  const count = `${formatNumberOf(rows.length, 'log')} to compress; nothing was written.`
  return {
    json: rows,
    table: tableOf(rows, [
      ['AGENT', ({ agent }) => agent],
      ['FOUND BY', ({ queued }) => (queued === null ? 'search' : `hook ${queued}`), { drop: 2 }],
      ['WHEN', ({ when }) => when, { drop: 1 }],
      ['LOG', ({ log }) => log],
      ['STORE', ({ store }) => store, { drop: 3 }],
    ]),
    said: [rows.length === 0 ? 'Nothing to compress.' : count, ...skippedLines(skipped)],
  }
}

export const addCommand = defineCommand({
  name: 'sweep',
  description:
    'Compress what was missed: first the queue of the hooks, then quiet logs of all agents that are not compressed yet.',
  options: sweepOptions,
  help: `
If a sweep is killed, the next one continues its work; if two run at once, the second does nothing. On a track, sessions
are in the order in which they ended. Logs whose project is unknown or missing go to the folder bundles in TENFOLD_HOME
(default: $XDG_STATE_HOME/tenfold or ~/.local/state/tenfold).

A sweep also makes the bundles that hooks request: TENFOLD_SWEEP_KIND, or "kind" for sweep in a config file, sets their
kind.

Examples:
  tenfold sweep --dry-run
  tenfold sweep --idle 12 --agent claude-code
  0 * * * *  tenfold sweep --quiet          a line of a crontab`,
  fault: modelFault,
  run: runSweep,
})
