import type * as z from 'zod/mini'
import { cleanLine } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import * as json from '../session/json.ts'
import type { Note } from '../session/note.ts'

/**
 * A record of a foreign format whose fields are taken one by one, so that the rest can be listed. `names` are separated
 * by spaces and match any spelling: `sessionId` also matches `session_id`. The first field with a value of the right
 * type counts.
 */
export interface TakenFields {
  take(names: string): unknown
  text(names: string): string | undefined
  /** Returns the text of each of our fields, by its foreign names. */
  texts<Key extends string>(names: Readonly<Record<Key, string>>): { readonly [K in Key]: string | undefined }
  record(names: string): TakenFields | undefined
  list(names: string): readonly unknown[]
  /** Returns a field that has our own format. */
  own<T>(name: string, schema: z.ZodMiniType<T>): T | undefined
  /** Returns the fields with a value that were not taken, as `name: value`. */
  left(): string[]
}

export function plainName(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase()
}

/** Returns the fields of a value; none unless it is a record. */
export function takenFields(value: unknown, path = ''): TakenFields {
  const open = new Map(Object.entries(json.fields(value)).filter(([, each]) => isValue(each)))
  const inner: TakenFields[] = []

  function take(names: string, is: (value: unknown) => boolean = () => true) {
    for (const wanted of names.split(' ').map(plainName))
      for (const [name, each] of open)
        if (plainName(name) === wanted && is(each)) {
          open.delete(name)
          return [name, each]
        }
    return []
  }

  function text(names: string): string | undefined {
    const [, found] = take(names, (each) => typeof each === 'string' || typeof each === 'number')
    return found === undefined ? undefined : String(found)
  }

  return {
    take: (names) => take(names)[1],
    text,
    texts<Key extends string>(names: Readonly<Record<Key, string>>) {
      const entries = Object.entries<string>(names).map(([field, each]) => [field, text(each)])
      return Object.fromEntries(entries) as Record<Key, string | undefined>
    },
    record(names) {
      const [name, found] = take(names, (each) => Object.keys(json.fields(each)).length > 0)
      if (name === undefined) return undefined
      const fields = takenFields(found, `${path}${name}.`)
      inner.push(fields)
      return fields
    },
    list: (names) => json.list(take(names, Array.isArray)[1]),
    own<T>(name: string, schema: z.ZodMiniType<T>) {
      const result = schema.safeParse(open.get(name))
      if (result.success) open.delete(name)
      return result.data
    },
    left: () => [
      ...[...open].map(
        ([name, each]) => `${path}${name}: ${typeof each === 'string' ? each : JSON.stringify(each)}`,
      ),
      ...inner.flatMap((fields) => fields.left()),
    ],
  }
}

/** False for empty values: null, an empty text, list or record. */
function isValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

const longest = 2000

/** Makes notes of content that a bundle has no field for. */
export function notesOfLeft(left: readonly string[]): Note[] {
  return left.map((text) => {
    const line = cleanLine(text)
    const short = cutHead(line, longest)
    const message = short === line ? line : `${short} … (${line.length - short.length} more)`
    return { code: 'no-field', message }
  })
}

/** Returns a time in ISO form, or undefined if it is none. Numbers are seconds or milliseconds since 1970. */
export function timeOf(value: unknown): string | undefined {
  const number = typeof value === 'number' ? value : Number.NaN
  const time = Number.isNaN(number) ? Date.parse(String(value ?? '')) : number < 1e11 ? number * 1000 : number
  // No agent worked in other years, and an id has four digits for the year.
  if (!(time >= Date.UTC(1990, 0) && time < Date.UTC(2200, 0))) return undefined
  return new Date(time).toISOString()
}
