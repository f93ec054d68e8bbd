const deepest = 8

/** Codes of the system and of the network library in an error and in what caused it, the outermost first. */
export function codesOf(error: unknown): string[] {
  const codes = new Set<string>()
  let at = error
  for (let depth = 0; depth < deepest && at instanceof Error; depth++) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z_\d]{3,60}$/.test(at.code)) codes.add(at.code)
    at = at.cause ?? (at instanceof AggregateError ? at.errors[0] : undefined)
  }
  return [...codes]
}

/** Nothing listens there, there is no such host, no way to it, or no certificate that can be trusted. */
const lasting =
  /^(?:ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$|^ERR_TLS|CERT|SELF_SIGNED|UNABLE_TO_VERIFY/

/**
 * How often a call whose connection failed is worth trying again: once if the codes say that waiting changes little, else
 * as often as the caller allows.
 */
export function retriesAfter(codes: readonly string[]): { retryLimit?: number } {
  return codes.some((code) => lasting.test(code)) ? { retryLimit: 1 } : {}
}
