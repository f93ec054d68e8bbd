import type { ContextBundle } from './schema.ts'

// Names for the entries of a bundle, so that an editor shows a name and not the whole object.

type Part<K extends keyof ContextBundle> = NonNullable<ContextBundle[K]>
type Entry<K extends 'files' | 'commands' | 'errors' | 'projectRules' | 'notes'> = ContextBundle[K][number]

/** The log that a bundle was made from. */
export interface BundleSource extends Part<'source'> {}
/** A file of the session: what happened to it, and the events that show it. */
export interface BundleFile extends Entry<'files'> {}
/** A command that ran, and how it ended. */
export interface BundleCommand extends Entry<'commands'> {}
/** An error of the session; it is open if it has no resolution. */
export interface BundleError extends Entry<'errors'> {}
/** The last check of the work. */
export interface BundleValidation extends Part<'validation'> {}
/** The branch, and the commits of the session. */
export interface BundleGit extends Part<'git'> {}
/** A rule that the session read in a file, an issue or a hook. */
export interface BundleProjectRule extends Entry<'projectRules'> {}
/** How a bundle was made: its sizes, the summarizer, its calls and their cost. */
export interface BundleCompression extends Part<'compression'> {}
/** Something odd in the log, or in the making of the bundle. */
export interface BundleNote extends Entry<'notes'> {}
