import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { ReferenceFacts } from '@tenfold/measure/internal'

/** One log to measure. Facts and summary come from the folder's `index.json`, if it has one. */
export interface EvalCase {
  readonly name: string
  readonly path: string
  /** Cases of one repository are similar: macro means and intervals count repositories. */
  readonly repo: string
  readonly facts?: ReferenceFacts
  readonly shippedSummary?: string
}

/**
 * Logs below a folder, sorted by name. An `index.json` names them if there is one. Throws TypeError if it is broken.
 */
export async function loadCases(folder: string): Promise<EvalCase[]> {
  if (!(await stat(folder)).isDirectory()) throw new TypeError(`expected a folder, got ${folder}`)
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/'))
  if (names.includes('index.json')) return indexedCases(folder)
  return names
    .filter((name) => /\.jsonl?(?:\.gz)?$/.test(name) && !/(?:^|\/)subagents\//.test(name))
    .sort()
    .map((name) => ({
      name,
      path: join(folder, name),
      repo: name.includes('/') ? (name.split('/')[0] ?? '') : '',
    }))
}

async function indexedCases(folder: string): Promise<EvalCase[]> {
  const index: unknown = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8'))
  if (!Array.isArray(index)) throw new TypeError('index.json: expected a list of cases')
  return index.map((entry: unknown) => {
    const file = textOf(entry, 'file')
    if (file === undefined) throw new TypeError('index.json: expected a file in every case')
    const path = join(folder, file)
    if (relative(folder, path).startsWith('..'))
      throw new TypeError(`index.json: expected a file of the folder, got ${file}`)
    const facts: unknown = Reflect.get(Object(entry), 'facts')
    const shippedSummary = textOf(entry, 'shipped_summary')
    return {
      name: file,
      path,
      repo: textOf(entry, 'repo') ?? '',
      ...(facts === undefined ? {} : { facts: parseReferenceFacts(facts) }),
      ...(shippedSummary === undefined ? {} : { shippedSummary }),
    }
  })
}

function textOf(entry: unknown, name: string): string | undefined {
  const value: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, name) : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Reads the `facts` of an entry of `index.json`. Throws TypeError that names the faulty field. */
function parseReferenceFacts(value: unknown): ReferenceFacts {
  return {
    editedFiles: strings(value, 'edited_files'),
    lastCommands: strings(value, 'last_commands'),
    userTerms: groups(value, 'user_terms'),
    constraintTerms: groups(value, 'constraint_terms'),
    userIds: strings(value, 'user_ids'),
    errorTerms: groups(value, 'error_terms'),
    laterPaths: strings(value, 'used_later_paths'),
    laterSymbols: strings(value, 'used_later_symbols'),
  }
}

function strings(value: unknown, name: string): string[] {
  return list(value, name).map((item) => stringOf(item, name))
}

function groups(value: unknown, name: string): string[][] {
  return list(value, name).map((group) => {
    if (!Array.isArray(group)) throw new TypeError(`facts.${name}: expected lists of strings`)
    return group.map((item) => stringOf(item, name).toLowerCase())
  })
}

function list(value: unknown, name: string): unknown[] {
  const field: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  if (field === undefined) return []
  if (!Array.isArray(field)) throw new TypeError(`facts.${name}: expected a list, got ${typeof field}`)
  return field
}

function stringOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new TypeError(`facts.${name}: expected strings, got ${typeof value}`)
  return value
}
