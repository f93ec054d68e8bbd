import { readFile } from 'node:fs/promises'
import { cleanLine, TenfoldError } from '@tenfold/core'
import { reasonOf } from './thrown.ts'

/** The text of a file that `what` names, such as an option. Throws TenfoldError that says so. */
export async function readGivenFile(path: string, what: string, code: TenfoldError['code']): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new TenfoldError(code, `${what} ${cleanLine(path)} cannot be read: ${reasonOf(cause)}.`, { cause })
  }
}
