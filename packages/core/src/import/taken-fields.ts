import type * as z from 'zod/mini'
import { fieldsOf } from '../session/json-values.ts'

/** A record of a foreign form whose fields are taken one by one, so that what is left over can be named. */
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

/** Gives out the fields of a value, of which only a record has any. */
export function takenFields(value: unknown, path = ''): TakenFields {
  const record = fieldsOf(value)
  const open = new Set(Object.keys(record))
  const inner: TakenFields[] = []

  function take(...names: readonly string[]): unknown {
    const name = names.find((each) => Object.hasOwn(record, each) && isValue(record[each]))
    for (const each of names) if (each === name || !isValue(record[each])) open.delete(each)
    return name === undefined ? undefined : record[name]
  }

  /** The same, if the value has the wanted type; any other stays in what is left. */
  function takeIf<T>(names: readonly string[], is: (value: unknown) => value is T): T | undefined {
    const found = names.find((each) => Object.hasOwn(record, each) && is(record[each]))
    return found === undefined ? undefined : (take(found) as T)
  }

  return {
    take,
    text(...names) {
      const value = takeIf(names, (each) => typeof each === 'string' || typeof each === 'number')
      return value === undefined ? undefined : String(value)
    },
    record(...names) {
      const name = names.find((each) => Object.hasOwn(record, each))
      const value = takeIf(names, (each): each is object => Object.keys(fieldsOf(each)).length > 0)
      if (value === undefined || name === undefined) return undefined
      const fields = takenFields(value, `${path}${name}.`)
      inner.push(fields)
      return fields
    },
    list: (...names) => takeIf(names, Array.isArray) ?? [],
    own<T>(name: string, schema: z.ZodMiniType<T>) {
      if (!Object.hasOwn(record, name) || !isValue(record[name])) return undefined
      const result = schema.safeParse(record[name])
      if (result.success) open.delete(name)
      return result.data
    },
    left: () => [
      ...[...open]
        .filter((name) => isValue(record[name]))
        .map((name) => `${path}${name}: ${shown(record[name])}`),
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
