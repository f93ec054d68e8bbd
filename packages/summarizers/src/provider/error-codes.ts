const deepest = 8

/** Codes of the system and of the network library in an error and its causes, the outermost first. */
export function codesOf(error: unknown): string[] {
  const codes = new Set<string>()
  let at = error
  for (let depth = 0; depth < deepest && at instanceof Error; depth++) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z_\d]{3,60}$/.test(at.code)) codes.add(at.code)
    at = at.cause ?? (at instanceof AggregateError ? at.errors[0] : undefined)
  }
  return [...codes]
}

/** Nothing listens there, the host does not exist or cannot be reached, or its certificate is not trusted. */
const lasting =
  /^(?:ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$|^ERR_TLS|CERT|SELF_SIGNED|UNABLE_TO_VERIFY/

/**
 * How often to retry a call whose connection failed: once if the codes say that waiting changes little, otherwise as
 * often as the caller allows.
 */
export function retriesAfter(codes: readonly string[]): { retryLimit?: number } {
  return codes.some((code) => lasting.test(code)) ? { retryLimit: 1 } : {}
}
