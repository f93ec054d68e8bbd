export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** An error's code, such as the system's `ENOENT` or the library's `no-bundle`. Undefined for a bug. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

export function unlessRefused<T, U>(look: () => T, otherwise: U, code?: string): T | U {
  try {
    return look()
  } catch (error) {
    const found = errorCode(error)
    if (found === undefined || (code !== undefined && found !== code)) throw error
    return otherwise
  }
}

/** The result of `work`, or `otherwise` if it rejects with a code, or for any reason after an abort. */
export async function unlessFaulty<T, U>(work: Promise<T>, otherwise: U, signal?: AbortSignal) {
  try {
    return await work
  } catch (error) {
    if (errorCode(error) === undefined && !signal?.aborted) throw error
    return otherwise
  }
}
