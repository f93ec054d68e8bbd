/** Throws TypeError or RangeError, with the option's name in the message, unless the option accepts the value. */
export type Check = (name: string, value: unknown) => void

export type Checks<T> = { readonly [K in keyof T]-?: Check }

/** Checks the given options. Ignores `undefined` values and options without a check. */
export function checkOptions(options: object, checks: Readonly<Record<string, Check>>): void {
  for (const [name, check] of Object.entries(checks)) {
    const value: unknown = Reflect.get(options, name)
    if (value !== undefined) check(name, value)
  }
}

export function wrongType(name: string, expected: string, value: unknown): TypeError {
  return new TypeError(`expected ${name} to be ${expected}, got ${shown(value)}`)
}

export function wrongValue(name: string, expected: string, value: unknown): RangeError {
  return new RangeError(`expected ${name} ${expected}, got ${shown(value)}`)
}

export const aFunction: Check = (name, value) => {
  if (typeof value !== 'function') throw wrongType(name, 'a function', value)
}

export const aBoolean: Check = (name, value) => {
  if (typeof value !== 'boolean') throw wrongType(name, 'true or false', value)
}

export const aString: Check = (name, value) => {
  if (typeof value !== 'string') throw wrongType(name, 'a string', value)
}

export const aNumber: Check = (name, value) => {
  if (typeof value !== 'number') throw wrongType(name, 'a number', value)
}

export function wholeNumber(least: number): Check {
  return (name, value) => {
    aNumber(name, value)
    if (!Number.isSafeInteger(value) || (value as number) < least)
      throw wrongValue(name, `of at least ${least}, a whole number`, value)
  }
}

/** Infinity is allowed. */
export const positive: Check = (name, value) => {
  aNumber(name, value)
  if (!((value as number) > 0)) throw wrongValue(name, 'above 0', value)
}

export const anAbortSignal: Check = (name, value) => {
  if (!hasFunctions(value, ['throwIfAborted', 'addEventListener']))
    throw wrongType(name, 'an AbortSignal', value)
}

const isStorage = (value: unknown) => hasFunctions(value, ['get', 'put', 'list', 'delete'])

export const aStorage: Check = (name, value) => {
  if (!isStorage(value))
    throw wrongType(name, 'a Storage, as memoryStorage() and fileStorage(folder) make', value)
}

export const bundleStoreObject: Check = (name, value) => {
  if (hasFunctions(value, ['save', 'archive', 'latest'])) return
  const made = isStorage(value) ? ', as bundleStore(storage) makes from a Storage' : ''
  throw wrongType(name, `a BundleStore${made}`, value)
}

/** A list whose values pass `check`; errors name them `redactors[1]`. */
export function listOf(check: Check): Check {
  return (name, value) => {
    if (!Array.isArray(value)) throw wrongType(name, 'a list', value)
    for (const [index, item] of value.entries()) check(`${name}[${index}]`, item)
  }
}

/** An object with a name and these functions, such as a counter, a redactor or a reader. */
export function namedObject(what: string, functions: readonly string[]): Check {
  return (name, value) => {
    const named = isObject(value) && 'name' in value && typeof value.name === 'string' && value.name !== ''
    if (!named || !hasFunctions(value, functions))
      throw wrongType(name, `${what} (an object with a name and ${functions.join(', ')})`, value)
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function hasFunctions(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof Reflect.get(value, name) === 'function')
}

/** Shows a value in a message: shortened, and only the keys of an object, since a value may be an API key. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (!isObject(value)) return String(value)
  const keys = Object.keys(value).slice(0, 6)
  return keys.length === 0 ? 'an object' : `an object with ${keys.join(', ')}`
}
