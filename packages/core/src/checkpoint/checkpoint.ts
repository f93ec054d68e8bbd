import { relative, resolve, sep } from 'node:path'
import { createRedaction, type Redactor, secretRedactor } from '@tenfold/redact'
import { createdAtOf, newBundleId } from '../bundle/bundle-id.ts'
import { TenfoldError } from '../errors.ts'
import { fileState } from '../git/live-check.ts'
import { type GitReading, isWithin, readGit } from '../git/read-git.ts'
import { aStorage } from '../options/check.ts'
import { cleanLine, cleanText } from '../session/clean-text.ts'
import { known } from '../session/known.ts'
import { foldersToIgnore } from '../storage/folders-to-ignore.ts'
import type { Storage } from '../storage/storage.ts'
import { bundleLayout, placesBack } from '../store/track-places.ts'
import { checkpointStore, type SavedCheckpoint } from './checkpoint-store.ts'
import { cleanCommand } from './clean-command.ts'
import { findCurrentTrack } from './latest-checkpoint.ts'
import { type Checkpoint, type CheckpointValidation, parseCheckpoint } from './schema.ts'

/** Options of {@link checkpoint}. */
export interface CheckpointOptions {
  /** A bundle store, or any other object with a storage. */
  readonly store: { readonly storage: Storage }
  /** @default the current track, otherwise `main` */
  readonly track?: string | undefined
  /** The current step of the work, on one line. */
  readonly step: string
  /** @default '' */
  readonly note?: string | undefined
  /** The next command, on one line. Shown on resume, never run. */
  readonly nextCommand?: string | undefined
  /** @default 'pending' */
  readonly validation?: CheckpointValidation | undefined
  /** A short name by which to find the checkpoint. */
  readonly label?: string | undefined
  /** Name of the task that the work belongs to. */
  readonly task?: string | undefined
  /** Additional values; keys consist of `A-Z a-z 0-9 . _ -`. */
  readonly extra?: Readonly<Record<string, string | number | boolean>> | undefined
  /** Files of the step; relative paths start at `cwd`. */
  readonly files?: readonly string[] | undefined
  /** Set to false to leave the current track as it is. @default true */
  readonly setCurrent?: boolean | undefined
  /** The folder whose repository is read. @default process.cwd() */
  readonly cwd?: string | undefined
  /** Folders whose files do not count as changed. @default the folder of the store */
  readonly ignore?: readonly string[] | undefined
  /** Find the secrets, which are replaced by marks. @default secretRedactor() */
  readonly redactors?: readonly Redactor[] | undefined
  /** @default now */
  readonly createdAt?: Date | undefined
  /** Has no effect after the commit. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Saves the state of the work, with the current branch, head and changed files of Git. Throws {@link TenfoldError}
 * `invalid-checkpoint` before anything is written, or {@link StorageError}.
 */
export async function checkpoint(
  options: CheckpointOptions,
): Promise<SavedCheckpoint & { readonly checkpoint: Checkpoint }> {
  aStorage('store.storage', options?.store?.storage)
  const { store, setCurrent = true, signal } = options
  const made = await makeCheckpoint(options)
  const save = { setCurrent, signal }
  return { ...(await checkpointStore(store.storage).save(made, save)), checkpoint: made }
}

async function makeCheckpoint(options: CheckpointOptions): Promise<Checkpoint> {
  const { store, createdAt = new Date(), signal } = options
  const cwd = resolve(options.cwd ?? process.cwd())
  const base = { schemaVersion: 1, ...stampOf(createdAt), ...redactedWords(options), cwd }
  // Invalid values are reported before git and the store are read.
  parseCheckpoint({ ...base, track: options.track ?? 'main', files: [] })
  const track = options.track ?? (await findCurrentTrack(store.storage)) ?? 'main'
  const ignore = foldersToIgnore(options.ignore, store.storage)
  const git = await readGit(cwd, { ignore, signal })
  const bundle = await newestBundle(store.storage, track)
  // Later than the newest bundle and the newest checkpoint of the track, even if clocks differ.
  const bundled = bundle === undefined ? 0 : Date.parse(createdAtOf(bundle)) + 1
  const after = new Date(Math.max(createdAt.getTime(), bundled))
  const time = await checkpointStore(store.storage).nextTime(track, after)
  return parseCheckpoint({
    ...base,
    track,
    ...stampOf(time),
    files: await namedFiles(options.files ?? [], cwd, git),
    ...known({ git: await gitState(git), bundle }),
  })
}

function stampOf(time: Date): Pick<Checkpoint, 'id' | 'createdAt'> {
  return { id: newBundleId(time), createdAt: time.toISOString() }
}

async function newestBundle(storage: Storage, track: string): Promise<string | undefined> {
  for await (const { id } of placesBack(storage, bundleLayout, track)) return id
  return undefined
}

/** Returns the texts, cleaned and without secrets; the schema rejects values of a wrong type. */
function redactedWords(options: CheckpointOptions) {
  const { redactors = [secretRedactor()], validation = 'pending' } = options
  const { step, note = '', nextCommand, label, task, extra = {} } = options
  const words = createRedaction(redactors).redactValue({ step, note, nextCommand, label, extra })
  return {
    validation,
    step: cleaned(words.step, cleanLine),
    note: cleaned(words.note, cleanNote),
    ...known({
      task: cleaned(task, cleanLine),
      label: cleaned(words.label, cleanLine),
      nextCommand: cleaned(words.nextCommand, oneCommand),
    }),
    extra: cleanExtra(words.extra),
  }
}

function cleaned<T>(value: T, clean: (text: string) => string): T | string {
  return typeof value === 'string' ? clean(value) : value
}

function cleanNote(text: string): string {
  return cleanText(text).trim()
}

function oneCommand(text: string): string {
  const command = cleanCommand(text)
  if (command !== undefined) return command
  throw new TenfoldError(
    'invalid-checkpoint',
    'nextCommand: expected one command on one line; join several with && or put them into a script',
  )
}

function cleanExtra(extra: unknown): unknown {
  if (typeof extra !== 'object' || extra === null || Array.isArray(extra)) return extra
  return Object.fromEntries(Object.entries(extra).map(([key, value]) => [key, cleaned(value, cleanNote)]))
}

async function gitState(git: GitReading): Promise<Checkpoint['git']> {
  if (git.state !== 'repository') return undefined
  const { state, bare, files, root, ...rest } = git
  const withDigests = files.map(async (file) => {
    const now = root === undefined ? undefined : await fileState(resolve(root, file.path))
    return { ...file, ...known({ digest: now?.digest }) }
  })
  return { ...rest, ...known({ root }), files: await Promise.all(withDigests) }
}

/** Returns paths relative to the root of the repository, or to `cwd` if there is none; paths elsewhere are absolute. */
async function namedFiles(
  paths: readonly string[],
  cwd: string,
  git: GitReading,
): Promise<Checkpoint['files']> {
  const base = (git.state === 'repository' && git.root) || cwd
  const places = [...new Set(paths.map((path) => resolve(cwd, path)))]
  return await Promise.all(
    places.map(async (place) => {
      const isInside = place !== base && isWithin(base, place)
      const path = isInside ? relative(base, place).split(sep).join('/') : place
      return { path: path.toWellFormed(), ...known({ digest: (await fileState(place)).digest }) }
    }),
  )
}
