import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { bundleToMarkdown, type ContextBundle, TenfoldError } from '@tenfold/core'
import { replaceFile } from '../terminal/replace-file.ts'
import { messageOf } from '../terminal/thrown.ts'

/**
 * Writes a bundle to a file, as JSON if its name ends so, otherwise as Markdown. Throws TenfoldError `out-failed`, which
 * says that the bundle is saved if it is.
 */
export async function writeOut(
  path: string,
  bundle: ContextBundle,
  saved: string | undefined,
): Promise<void> {
  const isJson = /\.json$/i.test(path)
  try {
    await mkdir(dirname(path), { recursive: true })
    await replaceFile(path, [isJson ? `${JSON.stringify(bundle, null, 2)}\n` : bundleToMarkdown(bundle)])
  } catch (cause) {
    const reason = messageOf(cause)
    const kept = saved === undefined ? '' : `; bundle ${saved} was still saved in the store`
    throw new TenfoldError(
      'out-failed',
      `The ${isJson ? 'JSON' : 'Markdown'} cannot be written: ${reason}${kept}.`,
      { cause },
    )
  }
}
