import { existsSync } from 'node:fs'
import { TenfoldError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { checkpointStore } from '@tenfold/core/store'
import { findImports } from '../import/find-imports.ts'
import { type Imported, importItem } from '../import/import-item.ts'
import { option } from '../options/option.ts'
import { storeOption, trackOption } from '../options/options.ts'
import { makeRedactors, redactOptions } from '../options/redact-options.ts'
import { openStore, openStoreToWrite, warnOfDamage } from '../store/open-store.ts'
import { failureOf } from '../terminal/failure.ts'
import { formatNumberOf, textOfCounts } from '../terminal/numbers.ts'
import { countProgress } from '../terminal/progress.ts'
import type { Style } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'import',
  description:
    'Import bundles, checkpoints, halt dumps and conversations of other tools into the store. What a file is follows from its content; the files are not changed, and a second run adds nothing.',
  arguments: [['<path>', 'a file, or a folder to search']],
  options: [
    storeOption,
    trackOption('track for all of it (default: the one that a file names, otherwise main)'),
    option('--dry-run', 'write nothing; print what would be imported'),
    ...redactOptions,
  ],
  json: 'one JSON object: imported, failed, passedOver',
  help: `
What it recognizes:
  Context bundles in JSON    session_id, workflow_state, files_read, decisions, resume_instructions, …
  Bundles in Markdown        # Research Bundle: …, # Plan Bundle: …; the name of the file is the task
  Checkpoints                context_checkpoint_*.json or .md, LATEST.json with an entry for each track
  Halt dumps                 a folder with metadata.json, agent/, filesystem/, environment/
  Conversations, logs        every format that tenfold compress reads; they are compressed offline
  Bundles of Tenfold         and checkpoints, as single files; tenfold copy copies whole stores

Examples:
  tenfold import --dry-run RLM/progress/bundles
  tenfold import .agents/bundles/AUTH-7.md
  tenfold import runtime/checkpoints
  tenfold import --json tmp/halt-dump | jq '.imported[] | select(.notes != [])'

Exit codes: 0 done, 1 a file failed or there was nothing to import, 2 wrong usage, 130 interrupted.`,
  async run({ store: place, track, dryRun = false, ...redact }, { terminal, signal }, path) {
    if (!existsSync(path))
      throw new TenfoldError(
        'log-missing',
        `There is no file or folder at ${cleanLine(path)}; check the path.`,
      )
    const redactors = await makeRedactors(redact)
    const { extractiveSummarizer } = await import('@tenfold/summarizers/extractive')
    const { found, failures, passedOver, currentTrack } = await findImports(path, { store: place, signal })
    const store = await (dryRun ? openStore : openStoreToWrite)(place, terminal)
    if (!dryRun) terminal.workWithoutReader()
    const bundles = await store.list()
    const saved = await checkpointStore(store.storage, warnOfDamage(terminal)).list()
    const work = {
      ...{ store, redactors, track, currentTrack, dryRun, signal },
      summarizer: extractiveSummarizer(),
      held: new Map([
        ...bundles.map(({ sourceSha256, id }) => [sourceSha256, id] as const),
        ...[...bundles, ...saved].map(({ id }) => [id, id] as const),
      ]),
    }
    const imported: Imported[] = []
    const failed = [...failures]
    const progress = countProgress(terminal)
    const sayIt = (text: string): void => void (terminal.json || terminal.say(text))
    const warnOf = ({ path: file, error }: (typeof failed)[number]): void =>
      void (terminal.json || terminal.warn(`error: ${cleanLine(file)}: ${cleanLine(error.message)}`))
    for (const [done, item] of found.entries()) {
      signal.throwIfAborted()
      progress('importing', done, found.length)
      try {
        const result = await importItem(item, work)
        imported.push(result)
        importedLines(result, dryRun, terminal.style).forEach(sayIt)
      } catch (error) {
        signal.throwIfAborted()
        failed.push({ path: item.path, error: failureOf(error) })
        failed.slice(-1).forEach(warnOf)
      }
    }
    failures.forEach(warnOf)
    return {
      json: { imported, failed, passedOver },
      said: [
        ...passedOver.map((file) => `${cleanLine(file.path)}: not imported: it ${cleanLine(file.message)}`),
        imported.length + failed.length === 0
          ? `There is nothing to import at ${cleanLine(path)}: no bundle, checkpoint, halt dump or log in a known format.`
          : summaryOf(imported, { dryRun, failed: failed.length, others: passedOver.length }),
      ],
      failed: failed.length > 0 || imported.length === 0,
    }
  },
})

const names: Readonly<Record<Imported['what'], string>> = {
  bundle: 'bundle',
  'own-bundle': 'bundle of Tenfold',
  checkpoint: 'checkpoint',
  'own-checkpoint': 'checkpoint of Tenfold',
  dump: 'halt dump',
  log: 'log',
}

function importedLines(item: Imported, dryRun: boolean, style: Style): string[] {
  const { path, what, outcome, id, track, task, notes } = item
  const isKnown = outcome === 'known'
  const where = [track && `track ${track}`, task && `task ${task}`, id].filter(Boolean).join(', ')
  const did = isKnown ? 'was already imported' : dryRun ? 'would be imported' : 'imported'
  const line = `${cleanLine(path)}: ${names[what]} ${did}${where === '' ? '' : `: ${cleanLine(where)}`}`
  return [line, ...(isKnown ? [] : notes.map((note) => style.dim(`  ${cleanLine(note)}`)))]
}

function summaryOf(
  imported: readonly Imported[],
  { dryRun, failed, others }: { dryRun: boolean; failed: number; others: number },
): string {
  const fresh = imported.filter(({ outcome }) => outcome === 'new')
  const kinds = Object.entries(names).map(([what, name]): [number, string] => {
    const number = fresh.filter((item) => item.what === what).length
    return [number, formatNumberOf(number, name)]
  })
  const known = imported.length - fresh.length
  const parts = [
    `${dryRun ? 'Would import' : 'Imported'} ${textOfCounts(...kinds) || 'nothing new'}`,
    known > 0 && `${known} already imported`,
    failed > 0 && `${failed} failed`,
    others > 0 && `${formatNumberOf(others, 'file')} not imported`,
  ]
  return `${parts.filter(Boolean).join('; ')}.`
}
