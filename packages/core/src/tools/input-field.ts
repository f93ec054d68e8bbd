/** Returns a field of the arguments, if it is a non-empty string. */
export function field(input: unknown, name: string): string | undefined {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, name)) return undefined
  const value: unknown = Reflect.get(input, name)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
