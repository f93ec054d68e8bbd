import type * as z from 'zod/mini'
import * as json from '../session/json.ts'

/**
 * A record of a foreign form whose fields are taken one by one, so that what is left over can be named. A name is found
 * in any spelling: `sessionId` also as `session_id`.
 */
export interface TakenFields {
  /** The first of the named fields that has a value. */
  take(...names: readonly string[]): unknown
  text(...names: readonly string[]): string | undefined
  record(...names: readonly string[]): TakenFields | undefined
  list(...names: readonly string[]): readonly unknown[]
  /** A field that has the form of ours. */
  own<T>(name: string, schema: z.ZodMiniType<T>): T | undefined
  /** What nobody took and holds a value, as `name: value`. */
  left(): string[]
}

/** A name without its spelling. */
export function plainName(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase()
}

/** Gives out the fields of a value, of which only a record has any. */
export function takenFields(value: unknown, path = ''): TakenFields {
  const open = new Map(Object.entries(json.fields(value)).filter(([, each]) => isValue(each)))
  const inner: TakenFields[] = []

  /** The first of the named fields whose value is of the wanted type; any other stays in what is left. */
  function find(names: readonly string[], is: (value: unknown) => boolean): string | undefined {
    for (const wanted of names.map(plainName))
      for (const [name, each] of open) if (plainName(name) === wanted && is(each)) return name
    return undefined
  }

  function take(names: readonly string[], is: (value: unknown) => boolean = () => true): unknown {
    const name = find(names, is)
    const found = name === undefined ? undefined : open.get(name)
    if (name !== undefined) open.delete(name)
    return found
  }

  return {
    take: (...names) => take(names),
    text(...names) {
      const found = take(names, (each) => typeof each === 'string' || typeof each === 'number')
      return found === undefined ? undefined : String(found)
    },
    record(...names) {
      const isRecord = (each: unknown): boolean => Object.keys(json.fields(each)).length > 0
      const name = find(names, isRecord)
      if (name === undefined) return undefined
      const fields = takenFields(take(names, isRecord), `${path}${name}.`)
      inner.push(fields)
      return fields
    },
    list: (...names) => (take(names, Array.isArray) as readonly unknown[] | undefined) ?? [],
    own<T>(name: string, schema: z.ZodMiniType<T>) {
      const result = schema.safeParse(open.get(name))
      if (result.success) open.delete(name)
      return result.data
    },
    left: () => [
      ...[...open].map(([name, each]) => `${path}${name}: ${shown(each)}`),
      ...inner.flatMap((fields) => fields.left()),
    ],
  }
}

/** False for what says nothing: null, an empty text, list or record. */
function isValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
