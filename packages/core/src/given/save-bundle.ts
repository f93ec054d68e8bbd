import type { ContextBundle } from '../bundle/schema.ts'
import { readGit } from '../git/read-git.ts'
import { known } from '../session/known.ts'
import { foldersToIgnore } from '../storage/folders-to-ignore.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import type { SavedBundle } from '../store/save-to-store.ts'
import { type BundleFields, parseBundleFields } from './bundle-fields.ts'
import { type CompleteOptions, completeBundle } from './complete-bundle.ts'

/** Options of {@link saveBundle}. */
export interface SaveBundleOptions extends Omit<CompleteOptions, 'now'> {
  /** The folder whose repository is read, unless the fields give its state. @default process.cwd() */
  readonly cwd?: string
  /** Folders whose files do not count as changed. @default the folder of the store */
  readonly ignore?: readonly string[]
  /** Has effect until the bundle is committed. */
  readonly signal?: AbortSignal
}

/**
 * Saves a bundle that is given by hand: completes it with id, time and the state of the Git repository, validates it
 * and makes it the newest of its track. Throws {@link InvalidBundleError} before anything is written, or
 * {@link StorageError}.
 */
export async function saveBundle(
  store: BundleStore,
  fields: BundleFields,
  options: SaveBundleOptions = {},
): Promise<SavedBundle & { readonly bundle: ContextBundle }> {
  const { cwd = process.cwd(), signal, ignore: ignored, ...complete } = options
  const given = parseBundleFields(fields)
  const ignore = foldersToIgnore(ignored, store.storage)
  // They are valid or not regardless of git and store: they are checked before anything is read.
  completeBundle(given, complete)
  const git = given.git ?? (await gitState(cwd, known({ ignore, signal })))
  const endedAt = given.createdAt === undefined ? {} : { endedAt: new Date(given.createdAt) }
  const time = await store.nextTime(given.track ?? 'main', endedAt)
  const whole = { ...given, cwd: given.cwd ?? cwd, createdAt: time.toISOString(), ...known({ git }) }
  const bundle = completeBundle(whole, complete)
  return { ...(await store.save(bundle, known({ signal }))), bundle }
}

async function gitState(
  cwd: string,
  options: { readonly ignore?: readonly string[]; readonly signal?: AbortSignal },
): Promise<BundleFields['git']> {
  const git = await readGit(cwd, options)
  return git.state === 'repository'
    ? known({ branch: git.branch, head: git.head, dirty: git.dirty })
    : undefined
}
