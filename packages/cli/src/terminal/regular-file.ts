import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { unlessRefused } from './thrown.ts'

/** Refuses pipes, which block and which anyone can put into a project. The library's version is slow to load. */
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

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

export function readJson(path: string): unknown {
  return unlessRefused(() => parseJson(readTextNow(path)), undefined)
}

export function hasTexts<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Readonly<Record<Name, string> & Record<string, unknown>> {
  const object = asObject(value)
  return object !== undefined && names.every((name) => typeof object[name] === 'string')
}
