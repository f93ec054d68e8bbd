import type { BundleFields } from '../given/bundle-fields.ts'
import { cleanLine } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import type { Note } from '../session/note.ts'

/** A bundle in a form of others, in the fields of ours. `notes` name what the fields do not hold. */
export interface ForeignBundle {
  readonly format: 'context-bundle' | 'markdown-bundle'
  readonly fields: BundleFields
  readonly notes: readonly Note[]
}

const longest = 2000

/** Notes with what a bundle has no field for, in its own words. */
export function notesOfLeft(left: readonly string[]): Note[] {
  return left.map((text) => {
    const line = cleanLine(text)
    const short = cutHead(line, longest)
    return {
      code: 'no-field',
      message: short === line ? line : `${short} … (${line.length - short.length} more)`,
    }
  })
}

/** The time in ISO form, or undefined for a text that is none. A number counts seconds or milliseconds since 1970. */
export function timeOf(value: unknown): string | undefined {
  const number = typeof value === 'number' ? value : Number.NaN
  const time = Number.isNaN(number) ? Date.parse(String(value ?? '')) : number < 1e11 ? number * 1000 : number
  // No agent worked in other years, and an id has room for years of four digits.
  if (!(time >= Date.UTC(1990, 0) && time < Date.UTC(2200, 0))) return undefined
  return new Date(time).toISOString()
}
