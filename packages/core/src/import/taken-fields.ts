import type * as z from 'zod/mini'
import { cleanLine } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import * as json from '../session/json.ts'
import type { Note } from '../session/note.ts'

/**
 * A record of a foreign form whose fields are taken one by one, so that what is left over can be named. Names are
 * separated by spaces, and found in any spelling: `sessionId` also as `session_id`. The first one counts that has a
 * value of the wanted type.
 */
export interface TakenFields {
  take(names: string): unknown
  text(names: string): string | undefined
  /** The text of each field of ours, by the names that it has elsewhere. */
  texts<Key extends string>(names: Readonly<Record<Key, string>>): { readonly [K in Key]: string | undefined }
  record(names: string): TakenFields | undefined
  list(names: string): readonly unknown[]
  /** A field that has the form of ours. */
  own<T>(name: string, schema: z.ZodMiniType<T>): T | undefined
  /** What nobody took and holds a value, as `name: value`. */
  left(): string[]
}

export function plainName(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase()
}

/** Gives out the fields of a value, of which only a record has any. */
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

/** False for what says nothing: null, an empty text, list or record. */
function isValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
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
