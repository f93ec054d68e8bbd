import * as json from '../session/json.ts'

/** A log that was changed in one place. */
export interface Mutation {
  readonly name: string
  readonly bytes: Uint8Array
}

type Path = readonly (string | number)[]

const wrongRecords: readonly unknown[] = [null, 1, 'x', [], {}, { type: 5 }]
const wrongValues: readonly unknown[] = [null, 7, [1, null], { a: { b: [] } }]
const deepest = 5
const childrenPerList = 2

/** Splits a log into records with their line ends; a JSON document is one record. */
export function splitRecords(bytes: Uint8Array, framing: string): string[] {
  const text = Buffer.from(bytes).toString('utf8')
  if (framing === 'document') return [text]
  return text.split(/(?<=\n)/)
}

/** Cuts the end off the log, at up to `most` places spread over it. */
export function truncations(bytes: Uint8Array, most: number): Mutation[] {
  const places = new Set<number>()
  for (let n = 1; n <= most; n++) places.add(Math.max(1, Math.floor((bytes.byteLength * n) / (most + 1))))
  for (const end of [1, 2, bytes.byteLength - 2, bytes.byteLength - 1]) if (end > 0) places.add(end)
  return [...places].map((end) => ({ name: `cut after ${end} bytes`, bytes: bytes.slice(0, end) }))
}

/** Adds a line to the log: at its start, in the middle or at its end. */
export function insertions(records: readonly string[], line: string): Mutation[] {
  const places = [0, Math.floor(records.length / 2), records.length]
  return places.map((place) => ({
    name: `a line before record ${place + 1}`,
    bytes: encode([...records.slice(0, place).map(ended), `${line}\n`, ...records.slice(place)]),
  }))
}

/** Replaces one record at a time by JSON that is not a record; yields at most `most` logs, spread evenly. */
export function* wrongRecordLogs(records: readonly string[], most: number): Generator<Mutation> {
  const changes = records.flatMap((_, index) => wrongRecords.map((wrong) => ({ index, wrong })))
  for (const { index, wrong } of spread(changes, most)) {
    const text = JSON.stringify(wrong)
    yield { name: `record ${index + 1} is ${text}`, bytes: replaced(records, index, text) }
  }
}

/** Changes the type of one field at a time; yields at most `most` logs, spread evenly. */
export function* wrongFieldLogs(records: readonly string[], most: number): Generator<Mutation> {
  const changes = records.flatMap((record, index) => {
    const value = json.parse(record)
    return pathsOf(value).flatMap((path) => wrongValues.map((wrong) => ({ index, value, path, wrong })))
  })
  for (const { index, value, path, wrong } of spread(changes, most)) {
    const name = `record ${index + 1}: ${path.join('.')} is ${JSON.stringify(wrong)}`
    yield { name, bytes: replaced(records, index, JSON.stringify(withValue(value, path, wrong))) }
  }
}

/** Adds keys to every object that would reach a prototype if they were copied carelessly. */
export function withPrototypeKeys(records: readonly string[]): Uint8Array {
  const keys = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'
  return encode(
    records.map((record) => {
      const value = json.parse(record)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return record
      return withLineEnd(addKeys(JSON.stringify(value), keys), record)
    }),
  )
}

export function encode(records: readonly string[]): Uint8Array {
  return new Uint8Array(Buffer.from(records.join('')))
}

export function ended(record: string): string {
  return record.endsWith('\n') ? record : `${record}\n`
}

/** Yields blocks of `sizeOf()` bytes each. */
export async function* inBlocks(bytes: Uint8Array, sizeOf: () => number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; ) {
    const end = start + Math.max(1, sizeOf())
    yield bytes.slice(start, end)
    start = end
  }
}

/** Returns a repeatable sequence of pseudo-random numbers from 0 to 1. */
export function repeatableNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Adds keys to every object. Skips strings, and thereby JSON that is kept as text. */
function addKeys(json: string, keys: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\{(\}?)/g, (part, close: string | undefined) =>
    part.startsWith('{') ? `{${keys}${close === '}' ? '}' : ','}` : part,
  )
}

/** Returns at most `most` of the items, spread evenly. */
function spread<T>(items: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, items.length / most)
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}

function replaced(records: readonly string[], index: number, text: string): Uint8Array {
  return encode(records.map((record, other) => (other === index ? withLineEnd(text, record) : record)))
}

function withLineEnd(text: string, record: string): string {
  return record.endsWith('\n') ? `${text}\n` : text
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || path.length >= deepest) return []
  const children: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.slice(0, childrenPerList).map((child, index) => [index, child] as const)
    : Object.entries(value)
  return children.flatMap(([key, child]) => [[...path, key], ...pathsOf(child, [...path, key])])
}

function withValue(value: unknown, path: Path, wrong: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return wrong
  if (Array.isArray(value)) {
    return value.map((child, index) => (index === key ? withValue(child, rest, wrong) : child))
  }
  const entries = Object.entries(value ?? {})
  return Object.fromEntries(
    entries.map(([name, child]) => [name, name === key ? withValue(child, rest, wrong) : child]),
  )
}
