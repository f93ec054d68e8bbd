/** Returns the object without its `undefined` values, for objects with optional fields. */
export function known<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  const kept: Partial<T> = {}
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key]
    if (value !== undefined) kept[key] = value
  }
  return kept as T
}
