// A fault in the content of a log recurs until the content or tenfold changes. A full disk, an unreachable server or a
// log that grows while it is read may be better next time.
const lasting = new Set([
  'unknown-format',
  'log-empty',
  'log-too-large',
  'log-unreadable',
  'session-missing',
  'invalid-bundle',
  'secret-left',
])

/** Whether a log that failed for this reason will fail for it again. */
export function isLasting(code: string): boolean {
  return lasting.has(code)
}
