import { readTextNow } from './regular-file.ts'
import { unlessRefused } from './thrown.ts'

/** The text as JSON; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The content of a JSON file; undefined if it is missing, cannot be read or is not JSON. */
export function readJson(path: string): unknown {
  return unlessRefused(() => parseJson(readTextNow(path)), undefined)
}
