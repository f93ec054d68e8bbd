/** Throws TypeError for a value that is no bundle at all; `parseBundle` checks one from elsewhere. */
export function assertBundle(value: unknown): void {
  const { source, trail } = (value ?? {}) as { readonly source?: unknown; readonly trail?: unknown }
  if (typeof source === 'object' && Array.isArray(trail)) return
  const got = value === null ? 'null' : typeof value
  throw new TypeError(`expected a bundle, as compressLog or a store returns it, got ${got}`)
}
