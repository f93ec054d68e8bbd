import { oddValue } from './odd-values.ts'

/** Numbers from 0 up to 1. */
export type Random = () => number

/** A log with something wrong in it. */
export interface Mutant {
  readonly bytes: Buffer
  /** Description of the damage, for messages. */
  readonly kind: string
}

/** Breaks a log in a random way: fields of its records if it is JSON, its bytes, or both. */
export function mutate(log: Uint8Array, random: Random): Mutant {
  const text = Buffer.from(log).toString('utf8')
  const isJson = /^\s*[[{]/.test(text)
  if (!isJson || random() < 0.3) return mutateBytes(log, random)
  const structural = mutateRecords(text, random)
  if (random() < 0.8) return structural
  const both = mutateBytes(structural.bytes, random)
  return { bytes: both.bytes, kind: `${structural.kind}, ${both.kind}` }
}

type Path = readonly (string | number)[]
type Holder = Record<string | number, unknown>

function mutateRecords(text: string, random: Random): Mutant {
  const parts = parses(text) ? [text] : text.split('\n')
  const kinds: string[] = []
  for (let round = 1 + Math.floor(random() * 3); round > 0; round--) {
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

function changeRecord(record: object, random: Random): { readonly value: unknown; readonly kind: string } {
  const paths = pathsOf(record)
  const pick = (): Path => paths[Math.floor(random() * paths.length)] ?? []
  const path = pick()
  const at = path.join('.')
  const choice = random()
  if (choice < 0.55) return { value: withValue(record, path, oddValue(random)), kind: `odd ${at}` }
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
