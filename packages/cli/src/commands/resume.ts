import { resolve } from 'node:path'
import { type BundleStore, resume } from '@tenfold/core'
import { cleanLine, cleanText, readGit, shownNames } from '@tenfold/core/internal'
import { option, optionOf } from '../options/option.ts'
import { bundleNames, dumpNames, storeOption, taskOption, trackOption } from '../options/options.ts'
import { notEmpty, wholeNumber } from '../options/parsers.ts'
import { isRemoteStore } from '../state/trust.ts'
import { openCheckpoints, openStore, usualTrack } from '../store/open-store.ts'
import { defaultStore } from '../store/project-store.ts'
import { addedLine, foreignStoreLine } from '../store/store-origin.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { shellWord } from '../terminal/text.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'resume',
  description:
    'Print the brief for the next prompt: where to continue, what is no longer true, constraints, state of the work.',
  options: [
    storeOption,
    trackOption('track to resume (default: the current track of the checkpoints, otherwise main)'),
    taskOption('use the newest bundle of this task, of any phase, and its halt dump if that is newer'),
    option('--bundle <bundle>', `bundle to use: ${bundleNames}`, { default: 'LATEST' }),
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
    optionOf<{ readonly verify?: boolean | undefined }>(
      '--verify',
      'compare with the current state of this folder (default: if it is in a Git repository)',
    ),
    optionOf('--no-verify', 'do not compare with the folder'),
    option('--json', 'print one JSON object: bundle, track, haltId, tokens, files, checkpoints, live, brief'),
  ],
  help: `
Examples:
  tenfold resume
  tenfold resume --track review --max-tokens 1500
  tenfold resume --task T-12 --no-verify
  tenfold resume --dump LATEST                continue a halted run
  tenfold resume --files 8000                 with the files that the work is about
  claude "$(tenfold resume)"`,
  async run({ store: place, bundle: name, dump: dumpName, ...options }, { terminal, signal }) {
    const { task, maxTokens, files, json } = options
    const store = await openStore(place, terminal, { blocking: true })
    const isPlain = name === 'LATEST' && [task, dumpName, options.track].every((given) => !given)
    const track = options.track ?? (isPlain ? await trackWithoutName(store, place, terminal) : undefined)
    const bundle =
      name === 'LATEST'
        ? undefined
        : await (await import('../store/find-bundle.ts')).findBundle(name, {
            ...{ store, terminal, task, track: track ?? 'main' },
          })
    const dump =
      dumpName === undefined
        ? undefined
        : await (await import('../dump/find-dump.ts')).findDump(place, dumpName)
    const ignore = [place]
    const git = options.verify === false ? undefined : await readGit(process.cwd(), { signal, ignore })
    const verify = options.verify ?? git?.state === 'repository'
    const resumed = await resume({
      ...{ store, track, task, bundle, dump, maxTokens, signal, git, ignore },
      verify: verify && process.cwd(),
      files: files === undefined ? undefined : { folder: process.cwd(), maxTokens: files },
      origin: async (found) => foreignStoreLine(place) ?? (await addedLine(store, place, found)),
    })
    for (const warning of resumed.warnings) terminal.warn(`warning: ${cleanText(warning)}`)
    if (isPlain) await noteMissing(place, terminal)
    const left = (resumed.files?.left ?? []).map(({ path, reason }) => `${path} (${reason})`)
    if (left.length > 0) terminal.note(cleanText(`Not printed: ${shownNames(left, left.length, 12)}`))
    if (!json) return terminal.write(resumed.text)
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
  },
})

/** Reports sessions that ended without an event since the newest bundle. A hook would compress them first. */
async function noteMissing(store: string, terminal: Terminal): Promise<void> {
  if (isRemoteStore(store)) return
  const { findOpenSessions } = await import('../background/hooks/open-sessions.ts')
  const { over } = await findOpenSessions({ project: process.cwd(), store: resolve(store) })
  for (const { agent, log } of over)
    terminal.note(
      `A later ${agent} session is not in this brief; to add it: tenfold compress ${shellWord(cleanLine(log))}`,
    )
}

/** Undefined if the library's default applies: the track of the current checkpoint, or main. */
async function trackWithoutName(store: BundleStore, place: string, terminal: Terminal) {
  // A store named by the user may contain the work of other projects.
  const track = await usualTrack(store, { otherwise: place === defaultStore() })
  const checkpoint = track && (await (await openCheckpoints(place, terminal)).latest())
  return checkpoint === undefined ? track : undefined
}
