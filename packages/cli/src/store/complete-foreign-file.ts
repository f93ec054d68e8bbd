import { basename } from 'node:path'
import { type ContextBundle, completeForeign, type ForeignBundle, type Redactor } from '@tenfold/core'

/** A file with a bundle in a form of others. */
export interface ForeignFile {
  readonly path: string
  readonly changed: Date
  readonly document: Uint8Array
  readonly bundle: ForeignBundle
}

/** Makes a whole bundle of a file. A Markdown bundle has the name of its task: `AUTH-7.md`. */
export function completeForeignFile(
  { path, changed, document, bundle }: ForeignFile,
  redactors: readonly Redactor[],
  track?: string,
): ContextBundle {
  const task = bundle.format === 'markdown-bundle' ? basename(path).replace(/\.[^.]*$/, '') : undefined
  return completeForeign(bundle, { document, changed, redactors, track, task })
}
