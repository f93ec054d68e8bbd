import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { unlessRefused } from './thrown.ts'

/**
 * The text of a regular file of at most `maxBytes`. Anything else is refused with the error of a system call: a pipe
 * would make the process wait, and anyone can put one into a project. For the start of a hook, which is too short to
 * load `readRegularFile` of the library.
 */
export function readTextNow(path: string, maxBytes = 64 * 1024 * 1024): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw refusal('EINVAL', `${path} is not a regular file`)
    if (found.size > maxBytes) throw refusal('EFBIG', `${path} is larger than ${maxBytes} bytes`)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

function refusal(code: string, what: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${what}`), { code, syscall: 'open' })
}

/** The text as JSON; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The value as an object; undefined if it is a list, a scalar or null. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

/** The content of a JSON file; undefined if it is missing, cannot be read or is not JSON. */
export function readJson(path: string): unknown {
  return unlessRefused(() => parseJson(readTextNow(path)), undefined)
}

/** Whether a value is an object with a text under each of these names. */
export function hasTexts<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Readonly<Record<Name, string> & Record<string, unknown>> {
  const object = asObject(value)
  return object !== undefined && names.every((name) => typeof object[name] === 'string')
}
