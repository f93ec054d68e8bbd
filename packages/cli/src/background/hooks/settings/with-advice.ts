import { cleanLine, TenfoldError } from '@tenfold/core'
import { stateFolder } from '../../../state/state-folder.ts'
import { errorCode, messageOf } from '../../../terminal/thrown.ts'

/** Work on a file of an installation. */
export interface FileWork {
  readonly path: string
  readonly done: 'read' | 'written' | 'removed'
  /** What a user can do if it fails. */
  readonly advice: string
}

/** Runs work on a file. Throws TenfoldError `out-failed` that names the file and says what to do if the system refuses. */
export async function withAdvice<T>({ path, done, advice }: FileWork, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    if (TenfoldError.isInstance(cause) || errorCode(cause) === undefined) throw cause
    const message = `${cleanLine(path)} cannot be ${done}: ${messageOf(cause)}. ${advice}`
    throw new TenfoldError('out-failed', message, { cause })
  }
}

/** `withAdvice` for work on the folder of the state. */
export function inState<T>(run: () => T | Promise<T>): Promise<T> {
  const advice = 'Set TENFOLD_HOME to a folder that you can write to, also where the agent starts.'
  return withAdvice({ path: stateFolder(), done: 'written', advice }, run)
}
