import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type BundleStore,
  compressOnce,
  type Note,
  type Redactor,
  type Summarizer,
  TenfoldError,
} from '@tenfold/core'
import { cleanLine, completeCheckpoint, digestLog, importDump, readRegularFile } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import { checkpointStore } from '@tenfold/core/store'
import { type FoundImport, findImports } from '../import/find-imports.ts'
import { makeRedactors, redactOptions } from '../options/log-options.ts'
import { option } from '../options/option.ts'
import { storeOption, trackOption } from '../options/options.ts'
import { projectTrack } from '../sources/peek-log.ts'
import { completeForeignFile } from '../store/foreign-file.ts'
import { openStore, openStoreToWrite, warnOfDamage } from '../store/open-store.ts'
import { failureOf } from '../terminal/failure.ts'
import { countProgress } from '../terminal/progress.ts'
import type { Style } from '../terminal/terminal.ts'
import { formatNumberOf, textOfCounts } from '../terminal/text.ts'
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
      ...{ store, redactors, track, currentTrack, newest: bundles.at(-1)?.id, dryRun, signal },
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

interface ImportWork {
  readonly store: BundleStore
  readonly redactors: readonly Redactor[]
  readonly summarizer: Summarizer
  readonly track?: string | undefined
  /** Keys of what the store has: the digests of bundles' sources, and the ids of bundles and checkpoints. */
  readonly held: Map<string, string>
  /** Current track according to the imported checkpoints. If undefined, the newest checkpoint sets it. */
  readonly currentTrack?: string | undefined
  /** Id of the newest bundle in the store before the import. */
  readonly newest?: string | undefined
  readonly dryRun: boolean
  readonly signal: AbortSignal
}

/** What a file contains. `save` adds it to the store, unless the store already has its `key`. */
interface Read {
  readonly key: string
  readonly id?: string
  readonly track?: string | undefined
  readonly task?: string | undefined
  readonly time?: string
  readonly notes: readonly string[]
  /** Saves the content, and may return its new id. */
  save(): Promise<unknown>
}

type Imported = Awaited<ReturnType<typeof importItem>>

/** Outcome `known`: the store had it; `new`: it was imported, or would be in a dry run. */
async function importItem(item: FoundImport, work: ImportWork) {
  const { path, type: what } = item
  if (item.type === 'dump') return { path, what, ...(await bringDump(item, work)) }
  const { key, save, ...read } = await readItem(item, work)
  const known = work.held.get(key)
  const saved = known === undefined && !work.dryRun ? await save() : undefined
  const id = known ?? (typeof saved === 'string' ? saved : read.id)
  work.held.set(key, id ?? '')
  return { path, what, ...read, id, outcome: known === undefined ? 'new' : 'known' }
}

type Item<Type extends FoundImport['type']> = Extract<FoundImport, { readonly type: Type }>

async function bringDump({ path, files, changed }: Item<'dump'>, work: ImportWork) {
  const { store, redactors, dryRun, signal } = work
  const held = new Map<string, Uint8Array>()
  for (const file of files) held.set(file, await readRegularFile(join(path, file)))
  const options = { storage: store.storage, changed, redactors, dryRun, signal }
  const { haltId: id, taskId: task, createdAt: time, notes, known } = await importDump(held, options)
  const outcome = known ? 'known' : 'new'
  return { id, track: undefined, task, time, notes: notes.map(noteText), outcome }
}

async function readItem(item: Exclude<FoundImport, Item<'dump'>>, work: ImportWork): Promise<Read> {
  const { store, redactors, signal } = work
  switch (item.type) {
    case 'bundle': {
      const bundle = completeForeignFile(item, redactors, work.track)
      const { id, track, task, createdAt: time, source } = bundle
      const notes = bundle.notes.map(noteText)
      return { key: source.sha256, id, track, task, time, notes, save: () => store.save(bundle, { signal }) }
    }
    case 'own-bundle': {
      const { id, createdAt: time, source, track } = { ...item.bundle, ...trackOf(work) }
      // Its archived log stays in the other store, unless the whole store is copied.
      const bundle = { ...item.bundle, track, source: { ...source, archived: false } }
      const notes = source.archived
        ? ['its archived log stays in its own store; tenfold copy copies whole stores']
        : []
      return { key: id, id, track, time, notes, save: () => store.save(bundle, { signal }) }
    }
    case 'checkpoint':
    case 'own-checkpoint':
      return readCheckpoint(item, work)
    case 'log': {
      // Logs are compressed offline here; `tenfold compress --again` can use a model.
      const track = work.track ?? (await projectTrack(item.path)) ?? 'main'
      const log = await openLog(item.path)
      const notes: string[] = []
      const save = async () => {
        const made = await compressOnce(log, { store, summarizer: work.summarizer, redactors, track, signal })
        if ('known' in made) return made.known.id
        // Only known after reading: a truncated log is imported as far as it goes.
        for (const { code, message } of made.bundle.notes)
          if (code !== 'trivial-session' && code !== 'left-out') notes.push(`${code}: ${message}`)
        return made.bundle.id
      }
      return { key: await digestLog(log, { signal }), track, notes, save }
    }
  }
}

function noteText({ code, message }: Pick<Note, 'code' | 'message'>): string {
  return code === 'no-field' ? `kept in the notes: ${message}` : message
}

function trackOf({ track }: ImportWork) {
  return track === undefined ? {} : { track }
}

function readCheckpoint(item: Item<'checkpoint' | 'own-checkpoint'>, work: ImportWork): Read {
  const { store, redactors, track: given, currentTrack, newest, signal } = work
  const foreign = item.type === 'checkpoint' ? item.checkpoint : undefined
  const checkpoint =
    item.type === 'own-checkpoint'
      ? { ...item.checkpoint, ...trackOf(work) }
      : completeCheckpoint(item.checkpoint, { changed: item.changed, redactors, track: given })
  const { id, track, createdAt: time, nextCommand } = checkpoint
  // An old checkpoint must not lead `resume` away from later work in the store.
  const isOld = newest !== undefined && id < newest
  const setCurrent = currentTrack === undefined ? !isOld : item.checkpoint.track === currentTrack
  const notes = [
    foreign && !foreign.createdAt && 'it has no time, so it gets that of the last change of its file',
    foreign?.nextCommand && !nextCommand && 'its next command is not one line, so it is kept in the note',
    ...(foreign?.left ?? []).map((text) => `kept in the note: ${text}`),
  ].flatMap((note) => note || [])
  const save = () => checkpointStore(store.storage).save(checkpoint, { setCurrent, signal })
  return { key: id, id, track, time, notes, save }
}
