import { gzipSync } from 'node:zlib'
import { oddValue } from './odd-values.ts'

/** Numbers from 0 up to 1. */
export type Random = () => number

/** A log with something wrong in it. */
export interface Mutant {
  readonly bytes: Buffer
  /** Description of the damage, for messages. */
  readonly kind: string
}

/** Breaks a log in a random way: fields of its records if it is JSON, perhaps by those of another log, its bytes, or both. */
export function mutate(log: Uint8Array, random: Random, other: Uint8Array = log): Mutant {
  const text = Buffer.from(log).toString('utf8')
  const isJson = /^\s*[[{]/.test(text)
  if (!isJson || random() < 0.3) return mutateBytes(log, random)
  const structural = mutateRecords(text, random, Buffer.from(other).toString('utf8'))
  if (random() < 0.8) return structural
  const both = mutateBytes(structural.bytes, random)
  return { bytes: both.bytes, kind: `${structural.kind}, ${both.kind}` }
}

type Path = readonly (string | number)[]
type Holder = Record<string | number, unknown>

function mutateRecords(text: string, random: Random, other: string): Mutant {
  const parts = parses(text) ? [text] : text.split('\n')
  const kinds: string[] = []
  for (let round = 1 + Math.floor(random() * 3); round > 0; round--) {
    if (random() < 0.25) {
      kinds.push(changeAll(parts, random, other))
      continue
    }
    const index = Math.floor(random() * parts.length)
    const record = parsed(parts[index] ?? '')
    if (typeof record !== 'object' || record === null) {
      parts[index] = JSON.stringify(oddValue(random))
      kinds.push('odd line')
      continue
    }
    const { value, kind } = changeRecord(record, random)
    parts[index] = JSON.stringify(value) ?? ''
    kinds.push(kind)
  }
  return { bytes: Buffer.from(parts.join('\n')), kind: kinds.join(', ') }
}

/** What links the records of logs. */
const links = [
  'uuid',
  'parentUuid',
  'id',
  'sessionId',
  'timestamp',
  'tool_use_id',
  'call_id',
  'parent_id',
  'role',
]

/** Changes all records of a log; returns how. */
function changeAll(parts: string[], random: Random, other: string): string {
  const choice = random()
  if (choice < 0.2) parts.reverse()
  else if (choice < 0.35) parts.push(...parts)
  else if (choice < 0.5) {
    const lines = other.split('\n')
    parts.splice(Math.floor(random() * parts.length), 0, ...lines.slice(0, 1 + Math.floor(random() * 8)))
  }
  if (choice < 0.5) return choice < 0.2 ? 'reversed' : choice < 0.35 ? 'twice' : 'lines of another log'
  const link = links[Math.floor(random() * links.length)] ?? ''
  const records = parts.map(parsed)
  const places = records.map((record) => pathsOf(record).filter((path) => path.at(-1) === link))
  const values = records.flatMap((record, index) => places[index]!.map((path) => valueAt(record, path)))
  const odd = oddValue(random)
  for (const [index, record] of records.entries())
    if (places[index]!.length > 0 && random() < 0.6) {
      const value = choice < 0.75 ? odd : values[Math.floor(random() * values.length)]
      const changed = places[index]!.reduce((all, path) => withValue(all, path, value), record)
      parts[index] = JSON.stringify(changed) ?? ''
    }
  return choice < 0.75 ? `odd ${link} everywhere` : `${link} in disorder`
}

/** The same said in another shape, as other versions of an agent write it. */
function reshaped(value: unknown, random: Random): unknown {
  const shapes: readonly unknown[] =
    typeof value === 'string'
      ? [
          [value],
          { text: value },
          [{ type: 'text', text: value }],
          JSON.stringify(value),
          value + value,
          Number(value),
        ]
      : Array.isArray(value)
        ? [value[0], { ...value }, [...value, ...value], [value], {}]
        : [[value], JSON.stringify(value), { content: value }]
  return shapes[Math.floor(random() * shapes.length)]
}

function changeRecord(record: object, random: Random): { readonly value: unknown; readonly kind: string } {
  const paths = pathsOf(record)
  const pick = (): Path => paths[Math.floor(random() * paths.length)] ?? []
  const path = pick()
  const at = path.join('.')
  const choice = random()
  if (choice < 0.4) return { value: withValue(record, path, oddValue(random)), kind: `odd ${at}` }
  if (choice < 0.55)
    return { value: withValue(record, path, reshaped(valueAt(record, path), random)), kind: `reshaped ${at}` }
  if (choice < 0.7) return { value: withValue(record, path, undefined), kind: `no ${at}` }
  if (choice < 0.85) {
    const from = pick()
    return {
      value: withValue(record, path, structuredClone(valueAt(record, from))),
      kind: `${from.join('.')} as ${at}`,
    }
  }
  const value = valueAt(record, path)
  const names = ['__proto__', 'constructor', 'toString', 'length', 'type', 'id', 'role', 'content', '']
  const name = names[Math.floor(random() * names.length)] ?? ''
  const renamed = withValue(withValue(record, path, undefined), [...path.slice(0, -1), name], value)
  return { value: renamed, kind: `${at} as ${name}` }
}

const deepest = 12
const widest = 60

function pathsOf(value: unknown, path: Path = [], found: Path[] = []): Path[] {
  found.push(path)
  if (path.length < deepest && typeof value === 'object' && value !== null)
    for (const [key, child] of Object.entries(value).slice(0, widest)) pathsOf(child, [...path, key], found)
  return found
}

function valueAt(record: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Holder)[key] : undefined),
    record,
  )
}

/** Sets the value at a path of the record itself; `undefined` removes it. */
function withValue(record: unknown, path: Path, value: unknown): unknown {
  const key = path.at(-1)
  if (key === undefined) return value
  const holder = valueAt(record, path.slice(0, -1))
  if (typeof holder !== 'object' || holder === null || (Array.isArray(holder) && key === 'length'))
    return record
  if (value === undefined) delete (holder as Holder)[key]
  else Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
  return record
}

function parses(text: string): boolean {
  return parsed(text) !== undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function mutateBytes(log: Uint8Array, random: Random): Mutant {
  const bytes = Buffer.from(log)
  const place = (): number => Math.floor(random() * bytes.length)
  const insert = (piece: Uint8Array): Buffer => {
    const at = place()
    return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
  }
  const lines = (): string[] => bytes.toString('latin1').split('\n')
  const joined = (changed: readonly string[]): Buffer => Buffer.from(changed.join('\n'), 'latin1')
  const changes: readonly (readonly [kind: string, change: () => Buffer])[] = [
    ['cut', () => bytes.subarray(0, place())],
    ['head cut off', () => bytes.subarray(place())],
    ['NUL bytes', () => insert(Buffer.alloc(1 + Math.floor(random() * 5000)))],
    ['bad UTF-8', () => insert(Buffer.from([0xc0, 0x80, 0xff, 0xed, 0xa0, 0x80, 0xf8, 0x88]))],
    ['a part twice', () => insert(bytes.subarray(place(), place()))],
    ['lines lost', () => joined(lines().filter(() => random() > 0.3))],
    ['lines twice', () => joined(lines().flatMap((line) => (random() < 0.3 ? [line, line] : [line])))],
    ['lines in disorder', () => joined(inDisorder(lines(), random))],
    ['UTF-16', () => Buffer.from(`\ufeff${bytes.toString('utf8')}`, 'utf16le')],
    ['a cut gzip', () => gzipSync(bytes).subarray(0, -Math.floor(random() * 20))],
    ['carriage returns', () => joined(lines().map((line) => `${line}\r`))],
    [
      'bits flipped',
      () => {
        for (let flips = 1 + Math.floor(random() * 20); flips > 0; flips--) {
          const at = place()
          bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))
        }
        return bytes
      },
    ],
  ]
  const [kind, change] = changes[Math.floor(random() * changes.length)] as (typeof changes)[number]
  return { bytes: bytes.length === 0 ? bytes : change(), kind }
}

function inDisorder(lines: string[], random: Random): string[] {
  for (let last = lines.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[lines[last], lines[other]] = [lines[other] ?? '', lines[last] ?? '']
  }
  return lines
}
