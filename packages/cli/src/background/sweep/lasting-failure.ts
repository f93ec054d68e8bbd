// What lies in the content of a log fails again until the content or tenfold changes. A full disk, a server that is away
// or a log that grows while it is read may be better next time.
const lasting = new Set([
  'unknown-format',
  'log-empty',
  'log-too-large',
  'log-unreadable',
  'session-missing',
  'invalid-bundle',
  'secret-left',
])

/** Whether a log that failed for this reason fails for it again. */
export function isLasting(code: string): boolean {
  return lasting.has(code)
}
