import { createHash } from 'node:crypto'
import type { Redactor } from '@tenfold/redact'
import type { ContextBundle } from '../bundle/schema.ts'
import type { BundleFields } from '../given/bundle-fields.ts'
import { completeBundle } from '../given/complete-bundle.ts'
import { cleanLine } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'

/** A bundle in a form of others, in the fields of ours. `notes` name what the fields do not hold. */
export interface ForeignBundle {
  readonly format: 'context-bundle' | 'markdown-bundle'
  readonly fields: BundleFields
  readonly notes: readonly Note[]
}

/** Options of {@link completeForeign}. */
export interface CompleteForeignOptions {
  /** The bytes of the document. */
  readonly document: Uint8Array
  /** When it was last changed: the time of a bundle that says none. */
  readonly changed: Date
  /** For a document that names none. @default 'main' */
  readonly track?: string | undefined
  /** For a document that names none. */
  readonly task?: string | undefined
  readonly redactors?: readonly Redactor[] | undefined
}

/**
 * Makes a whole bundle of one in a form of others, with the time that it says itself. The same document always gives the
 * same bundle, so that importing it again adds nothing.
 */
export function completeForeign(
  { format, fields, notes }: ForeignBundle,
  { document, changed, track, task, redactors }: CompleteForeignOptions,
): ContextBundle {
  const message = 'the document says no time; it is that of the last change of its file'
  const time = fields.createdAt === undefined ? [{ code: 'time-of-file', message }] : []
  const whole = { ...fields, ...known({ track: track ?? fields.track, task: fields.task ?? task }) }
  return completeBundle(whole, {
    source: { format, document },
    notes: [...notes, ...time],
    now: changed,
    random: () => digitsOf(document),
    ...known({ redactors }),
  })
}

/** A number from 0 to 1 that stands for the bytes. */
export function digitsOf(bytes: Uint8Array): number {
  return createHash('sha256').update(bytes).digest().readUInt32BE() / 2 ** 32
}

const longest = 2000

/** Notes with what a bundle has no field for, in its own words. */
export function notesOfLeft(left: readonly string[]): Note[] {
  return left.map((text) => {
    const line = cleanLine(text)
    const short = cutHead(line, longest)
    const message = short === line ? line : `${short} … (${line.length - short.length} more)`
    return { code: 'no-field', message }
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
