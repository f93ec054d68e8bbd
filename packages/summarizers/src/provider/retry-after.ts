/**
 * How long a provider asks to wait, in milliseconds: `retry-after-ms`, otherwise `retry-after` in seconds or as a date.
 * Undefined if it does not say. Not capped: whether to wait is up to the caller.
 * https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Retry-After
 */
export function retryAfterMs(
  header: (name: string) => string | null | undefined,
  now = Date.now(),
): number | undefined {
  const milliseconds = numberOf(header('retry-after-ms'))
  if (milliseconds !== undefined) return milliseconds
  const after = header('retry-after')
  const seconds = numberOf(after)
  if (seconds !== undefined) return seconds * 1000
  // Date.parse takes almost anything for a date, even `-5`.
  const date = after?.includes(':') ? Date.parse(after) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function numberOf(header: string | null | undefined): number | undefined {
  return header != null && /^\d{1,12}(\.\d+)?$/.test(header.trim()) ? Number(header) : undefined
}
