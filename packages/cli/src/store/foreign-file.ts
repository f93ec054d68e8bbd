import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { type ContextBundle, type Redactor, secretRedactor } from '@tenfold/core'
import { completeForeign, type ForeignBundle, recognizeFile } from '@tenfold/core/internal'

export async function bundleOfForeignFile(path: string, text: string): Promise<ContextBundle | undefined> {
  const recognized = recognizeFile(path, text)
  if (recognized?.type !== 'bundle') return undefined
  const { mtime: changed } = await stat(path)
  const document = Buffer.from(text)
  return completeForeignFile({ path, changed, document, bundle: recognized.bundle }, [secretRedactor()])
}

interface ForeignFile {
  readonly path: string
  readonly changed: Date
  readonly document: Uint8Array
  readonly bundle: ForeignBundle
}

/** A Markdown bundle is named after its task, such as `AUTH-7.md`. */
export function completeForeignFile(
  { path, changed, document, bundle }: ForeignFile,
  redactors: readonly Redactor[],
  track?: string,
): ContextBundle {
  const task = bundle.format === 'markdown-bundle' ? basename(path).replace(/\.[^.]*$/, '') : undefined
  return completeForeign(bundle, { document, changed, redactors, track, task })
}
