import { checkpointStore } from '@tenfold/core'
import { projectTracks } from '../compress/project-tracks.ts'
import { option, type ValuesOf } from '../options/option.ts'
import { storeOption, trackOption } from '../options/options.ts'
import { makeRedactors, redactOptions } from '../options/redact-options.ts'
import { openStore, openStoreToWrite, warnOfDamage } from '../store/open-store.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { failureOf } from '../terminal/failure.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { progressLine } from '../terminal/progress.ts'
import { findImports } from './find-imports.ts'
import { type Imported, importItem } from './import-item.ts'
import {
  failedLine,
  type ImportReport,
  importedLines,
  passedOverLines,
  summaryLine,
} from './import-report.ts'

export const importOptions = [
  storeOption,
  trackOption('track for all of it (default: the one that a file names, otherwise main)'),
  option('--dry-run', 'write nothing; say what would be imported'),
  option('--json', 'print one JSON object: imported, failed, passedOver'),
  ...redactOptions,
] as const

/** Brings everything that is known at or below a path into the store, the oldest first. One failure stops no other. */
export async function importAll(
  path: string,
  options: ValuesOf<typeof importOptions>,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, signal } = context
  const dryRun = options.dryRun ?? false
  const redactors = await makeRedactors(options)
  const { extractiveSummarizer } = await import('@tenfold/summarizers/extractive')
  const { found, failures, passedOver, currentTrack } = await findImports(path, {
    store: options.store,
    signal,
  })
  const store = await (dryRun ? openStore : openStoreToWrite)(options.store, terminal)
  if (!dryRun) terminal.workWithoutReader()
  const checkpoints = checkpointStore(store.storage, warnOfDamage(terminal))
  const bundles = await store.list()
  const saved = await checkpoints.list()
  const work = {
    store,
    redactors,
    track: options.track,
    currentTrack,
    dryRun,
    signal,
    summarizer: extractiveSummarizer(),
    projects: await projectTracks(found.flatMap((item) => (item.what === 'log' ? [item.path] : []))),
    held: {
      sources: new Map(bundles.map((entry) => [entry.sourceSha256, entry.id])),
      ids: new Set([...bundles, ...saved].map(({ id }) => id)),
    },
  }
  const imported: Imported[] = []
  const failed = [...failures]
  const line = progressLine(terminal, options.json !== true)
  for (const [done, item] of found.entries()) {
    signal.throwIfAborted()
    line.show('import', () => `importing ${done + 1} of ${found.length}`)
    try {
      const result = await importItem(item, work)
      imported.push(result)
      if (options.json !== true)
        for (const text of importedLines(result, { dryRun, style: terminal.style })) terminal.say(text)
    } catch (error) {
      signal.throwIfAborted()
      const failure = { path: item.path, error: failureOf(error) }
      failed.push(failure)
      if (options.json !== true) terminal.warn(failedLine(failure))
    }
  }
  line.clear()
  const report: ImportReport = { imported, failed, passedOver }
  if (options.json) terminal.print(toSafeJson(report, 2))
  else {
    for (const failure of failures) terminal.warn(failedLine(failure))
    for (const text of passedOverLines(passedOver)) terminal.say(text)
    terminal.say(summaryLine(report, { dryRun, path }))
  }
  return failed.length > 0 || imported.length === 0 ? exitCodes.failed : exitCodes.done
}
