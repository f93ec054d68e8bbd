export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** The code of an error, such as `ENOENT` from the system; `undefined` if it has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** What `look` returns; `otherwise` if the system refuses it, with this code if one is given. */
export function unlessRefused<T, U>(look: () => T, otherwise: U, code?: string): T | U {
  try {
    return look()
  } catch (error) {
    const found = errorCode(error)
    if (found === undefined || (code !== undefined && found !== code)) throw error
    return otherwise
  }
}
