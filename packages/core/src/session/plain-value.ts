const deepest = 100

/** Returns a string unchanged, `null` and `undefined` as '', and anything else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  return JSON.stringify(plainValue(value)) ?? ''
}

/**
 * Copies a value into a form that JSON can hold: big integers, symbols and functions as text, bytes as their number,
 * and `[circular]` or `[nested too deep]` instead of endless structures.
 */
export function plainValue(value: unknown): unknown {
  return copy(value, [])
}

function copy(value: unknown, above: readonly object[]): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (typeof value === 'function') return `[function ${value.name}]`
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Error) return `${value.name}: ${value.message}`
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (above.includes(value)) return '[circular]'
  if (above.length >= deepest) return '[nested too deep]'
  const inside = [...above, value]
  if (Array.isArray(value)) return value.map((item) => copy(item, inside))
  const given = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(given.map(([key, item]) => [key, copy(item, inside)]))
}
