import type { ContextBundle } from './schema.ts'

// Kinds of items within a list of a bundle.

type File = ContextBundle['files'][number]
type BundleError = ContextBundle['errors'][number]
type Decision = ContextBundle['decisions'][number]
type Carried = NonNullable<ContextBundle['carried']>[number]

export const isTouched = ({ status }: File) => status !== 'read' && status !== 'named'
export const ofUser = ({ by }: Decision) => by === 'user'
export const ofAgent = ({ by }: Decision) => by === 'agent'
export const isOpen = ({ resolution }: BundleError) => resolution === undefined
export const isRule = ({ as }: Carried) => as === 'constraint' || as === 'rule'
export const isStep = ({ as }: Carried) => as === 'step'
export const isChoice = ({ as }: Carried) => as === 'decision'

/** Whether the source of a rule is a file of code, by the ending of its name. */
export function isCode(source: string): boolean {
  return /\w\.(?!mdc?$|txt$)\w{1,6}$/.test(source)
}

/**
 * Whether a model wrote the statements of a bundle, which are then in the order of importance. Those made by code are
 * in the order of the log and repeat parts of the trail and of other lists.
 */
export function isWritten({ compression }: Pick<ContextBundle, 'compression'>): boolean {
  return compression.model !== undefined
}

/** Throws TypeError for a value that is obviously not a bundle; `parseBundle` checks one from elsewhere. */
export function assertBundle(value: unknown): void {
  const { source, trail } = (value ?? {}) as { readonly source?: unknown; readonly trail?: unknown }
  if (typeof source === 'object' && Array.isArray(trail)) return
  const got = value === null ? 'null' : typeof value
  throw new TypeError(`expected a bundle, as compressLog or a store returns it, got ${got}`)
}
