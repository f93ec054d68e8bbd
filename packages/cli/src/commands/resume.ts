import { resolve } from 'node:path'
import { type BundleStore, type ContextBundle, resume, tiktokenCounter } from '@tenfold/core'
import { cleanLine, cleanText, readGit, shownNames } from '@tenfold/core/internal'
import { option, optionOf, type ValuesOf } from '../options/option.ts'
import { counterOption, dumpNames, storeOption, taskOption, trackOption } from '../options/options.ts'
import { notEmpty, wholeNumber } from '../options/parsers.ts'
import { isRemoteStore } from '../state/trust.ts'
import { openCheckpoints } from '../store/open-checkpoints.ts'
import { openStore, usualTrack } from '../store/open-store.ts'
import { defaultStore } from '../store/project-store.ts'
import { addedLine, foreignStoreLine } from '../store/store-origin.ts'
import { shellWord } from '../terminal/shell-word.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const resumeOptions = [
  storeOption,
  trackOption('track to resume (default: the current track of the checkpoints, otherwise main)'),
  taskOption('use the newest bundle of this task, of any phase, and its halt dump if that is newer'),
  option(
    '--bundle <bundle>',
    'bundle to use: LATEST, an id or its beginning, a session, a task, a track, a kind, or the path of a .json or .md file',
    { default: 'LATEST' },
  ),
  option(
    '--dump <dump>',
    `continue from this halt dump: ${dumpNames}; also uses what the store has of its task`,
    { parse: notEmpty('a halt dump') },
  ),
  option('--max-tokens <n>', 'maximum tokens of the brief', { parse: wholeNumber(100), default: 4000 }),
  option(
    '--files <n>',
    'also print the files that the work is about as they are now, up to this many tokens in addition',
    { parse: wholeNumber(1) },
  ),
  counterOption,
  optionOf<{ readonly verify?: boolean | undefined }>(
    '--verify',
    'compare with the current state of this folder (default: if it is in a Git repository)',
  ),
  optionOf('--no-verify', 'do not compare with the folder'),
  option('--json', 'print one JSON object: bundle, track, haltId, tokens, files, checkpoints, live, brief'),
] as const

export const addCommand = defineCommand({
  name: 'resume',
  description:
    'Print the brief for the next prompt: where to continue, what no longer holds, constraints, state of the work.',
  options: resumeOptions,
  help: `
Examples:
  tenfold resume
  tenfold resume --track review --max-tokens 1500
  tenfold resume --task T-12 --no-verify
  tenfold resume --dump LATEST                continue a halted run
  tenfold resume --files 8000                 with the files that the work is about
  claude "$(tenfold resume)"`,
  run: printBrief,
})

/** Names the sessions that ended without an event since the newest bundle, which a hook would compress first. */
async function noteMissing(store: string, terminal: CommandContext['terminal']): Promise<void> {
  if (isRemoteStore(store)) return
  const { findOpenSessions } = await import('../background/hooks/open-sessions.ts')
  const { over } = await findOpenSessions({ project: process.cwd(), store: resolve(store) })
  for (const { agent, log } of over) {
    const path = cleanLine(log)
    terminal.note(
      `Not in this brief: a later ${agent} session; to add it: tenfold compress ${shellWord(path)}`,
    )
  }
}

/** Undefined for the track that the library takes: that of the current checkpoint, or main. */
async function trackWithoutName(
  store: BundleStore,
  place: string,
  terminal: CommandContext['terminal'],
): Promise<string | undefined> {
  // A store that was named may hold the work of other projects.
  const track = await usualTrack(store, { otherwise: place === defaultStore() })
  const checkpoint = track && (await (await openCheckpoints(place, terminal)).latest())
  return checkpoint === undefined ? track : undefined
}

async function printBrief(
  options: ValuesOf<typeof resumeOptions>,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const { task, maxTokens } = options
  const store = await openStore(options.store, terminal, { blocking: true })
  const isPlain = options.bundle === 'LATEST' && [task, options.dump, options.track].every((name) => !name)
  const track =
    options.track ?? (isPlain ? await trackWithoutName(store, options.store, terminal) : undefined)
  const bundle: ContextBundle | undefined =
    options.bundle === 'LATEST'
      ? undefined
      : await (await import('../store/find-bundle.ts')).findBundle(options.bundle, {
          ...{ store, terminal },
          ...{ track: track ?? 'main', task },
        })
  const dump =
    options.dump === undefined
      ? undefined
      : await (await import('../dump/find-dump.ts')).loadNamedDump(options.store, options.dump)
  const ignore = [options.store]
  const git = options.verify === false ? undefined : await readGit(process.cwd(), { signal, ignore })
  const verify = options.verify ?? git?.state === 'repository'
  const resumed = await resume({
    store,
    track,
    task,
    bundle,
    dump,
    maxTokens,
    signal,
    counter: tiktokenCounter(options.counter),
    verify: verify && process.cwd(),
    git,
    files: options.files === undefined ? undefined : { folder: process.cwd(), maxTokens: options.files },
    ignore,
    origin: async (found) =>
      foreignStoreLine(options.store) ?? (await addedLine(store, options.store, found)),
  })
  for (const warning of resumed.warnings) terminal.warn(`warning: ${cleanText(warning)}`)
  if (isPlain) await noteMissing(options.store, terminal)
  const left = resumed.files?.left ?? []
  if (left.length > 0) {
    const names = left.map(({ path, reason }) => `${path} (${reason})`)
    terminal.note(cleanText(`Not printed: ${shownNames(names, names.length, 12)}`))
  }
  if (!options.json) return terminal.write(resumed.text)
  const { text, tokens, live, checkpoints } = resumed
  terminal.printJson({
    bundle: resumed.bundle?.id ?? null,
    track: resumed.track,
    haltId: resumed.haltId ?? null,
    tokens,
    ...(resumed.files !== undefined && { files: resumed.files }),
    checkpoints: checkpoints.map(({ id }) => id),
    live: live === undefined ? null : { holds: live.holds, findings: live.findings },
    brief: text,
  })
}
