import { existsSync } from 'node:fs'
import { TenfoldError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { checkpointStore } from '@tenfold/core/store'
import { projectTracks } from '../compress/project-tracks.ts'
import { findImports } from '../import/find-imports.ts'
import { type Imported, importItem } from '../import/import-item.ts'
import { option, type ValuesOf } from '../options/option.ts'
import { storeOption, trackOption } from '../options/options.ts'
import { makeRedactors, redactOptions } from '../options/redact-options.ts'
import { openStore, openStoreToWrite, warnOfDamage } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { type Failure, failureOf } from '../terminal/failure.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import { progressLine } from '../terminal/progress.ts'
import type { CommandContext, Style } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const importOptions = [
  storeOption,
  trackOption('track for all of it (default: the one that a file names, otherwise main)'),
  option('--dry-run', 'write nothing; say what would be imported'),
  option('--json', 'print one JSON object: imported, failed, passedOver'),
  ...redactOptions,
] as const

export const addCommand = defineCommand({
  name: 'import',
  description:
    'Bring bundles, checkpoints, halt dumps and conversations of other tools into the store. Content decides what a file is; the files stay as they are, and a second run adds nothing.',
  arguments: [['<path>', 'a file, or a folder to search']],
  options: importOptions,
  help: `
What it knows:
  Context bundles in JSON    session_id, workflow_state, files_read, decisions, resume_instructions, …
  Bundles in Markdown        # Research Bundle: …, # Plan Bundle: …; the name of the file is the task
  Checkpoints                context_checkpoint_*.json or .md, LATEST.json with an entry for each track
  Halt dumps                 a folder with metadata.json, agent/, filesystem/, environment/
  Conversations, logs        every format that tenfold compress reads; they are compressed offline
  Bundles of Tenfold         and checkpoints, as single files; tenfold copy brings whole stores

Examples:
  tenfold import --dry-run RLM/progress/bundles
  tenfold import .agents/bundles/AUTH-7.md
  tenfold import runtime/checkpoints
  tenfold import --json tmp/halt-dump | jq '.imported[] | select(.notes != [])'

Exit codes: 0 done, 1 a file failed or there was nothing to import, 2 wrong usage, 130 interrupted.`,
  run: (options, context, path) => importAll(path, options, context),
})

async function importAll(
  path: string,
  options: ValuesOf<typeof importOptions>,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, signal } = context
  const dryRun = options.dryRun ?? false
  if (!existsSync(path))
    throw new TenfoldError('log-missing', `There is no file or folder at ${cleanLine(path)}; check the path.`)
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
  const line = progressLine(terminal)
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
  if (options.json) terminal.printJson(report, 2)
  else {
    for (const failure of failures) terminal.warn(failedLine(failure))
    for (const { path, message } of passedOver)
      terminal.say(`${cleanLine(path)}: not imported: it ${cleanLine(message)}`)
    terminal.say(summaryLine(report, { dryRun, path }))
  }
  return failed.length > 0 || imported.length === 0 ? exitCodes.failed : exitCodes.done
}

interface ImportReport {
  readonly imported: readonly Imported[]
  readonly failed: readonly { readonly path: string; readonly error: Failure }[]
  readonly passedOver: readonly { readonly path: string; readonly message: string }[]
}

const names: Readonly<Record<Imported['what'], string>> = {
  bundle: 'bundle',
  'own-bundle': 'bundle of Tenfold',
  checkpoint: 'checkpoint',
  'own-checkpoint': 'checkpoint of Tenfold',
  dump: 'halt dump',
  log: 'log',
}

function importedLines(item: Imported, { dryRun, style }: { dryRun: boolean; style: Style }): string[] {
  const { path, what, outcome, id, track, task, notes } = item
  const where = [track && `track ${track}`, task && `task ${task}`, id].filter(Boolean).join(', ')
  const did = outcome === 'known' ? 'is there already' : dryRun ? 'would be imported' : 'imported'
  const line = `${cleanLine(path)}: ${names[what]} ${did}${where === '' ? '' : `: ${cleanLine(where)}`}`
  return [line, ...(outcome === 'known' ? [] : notes.map((note) => style.dim(`  ${cleanLine(note)}`)))]
}

function failedLine({ path, error }: ImportReport['failed'][number]): string {
  return `error: ${cleanLine(path)}: ${cleanLine(error.message)}`
}

function summaryLine(
  { imported, failed, passedOver }: ImportReport,
  { dryRun, path }: { dryRun: boolean; path: string },
): string {
  if (imported.length === 0 && failed.length === 0)
    return `There is nothing to import at ${cleanLine(path)}: no bundle, checkpoint, halt dump or log of a known form.`
  const fresh = imported.filter(({ outcome }) => outcome === 'new')
  const counts = Object.entries(names).flatMap(([what, name]) => {
    const number = fresh.filter((item) => item.what === what).length
    return number === 0 ? [] : [formatNumberOf(number, name)]
  })
  const known = imported.length - fresh.length
  const parts = [
    `${dryRun ? 'Would import' : 'Imported'} ${counts.length === 0 ? 'nothing new' : counts.join(', ')}`,
    ...(known > 0 ? [`${known} there already`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(passedOver.length > 0 ? [`${formatNumberOf(passedOver.length, 'file')} not imported`] : []),
  ]
  return `${parts.join('; ')}.`
}
