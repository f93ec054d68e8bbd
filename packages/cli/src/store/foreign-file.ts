import { stat } from 'node:fs/promises'
import { type ContextBundle, recognizeFile, secretRedactor } from '@tenfold/core'
import { completeForeignFile } from './complete-foreign-file.ts'

/** The bundle in a file that another tool wrote, without its secrets; undefined if the text is of no known form. */
export async function bundleOfForeignFile(path: string, text: string): Promise<ContextBundle | undefined> {
  const recognized = recognizeFile(path, text)
  if (recognized?.type !== 'bundle') return undefined
  const { mtime: changed } = await stat(path)
  const document = Buffer.from(text)
  return completeForeignFile({ path, changed, document, bundle: recognized.bundle }, [secretRedactor()])
}
