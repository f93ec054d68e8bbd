import { formatItem, formatText, parseItem, parseText } from './markdown-items.ts'
import type { ContextBundle } from './schema.ts'

/** One `## ` section: how it is written and parsed. Parsing gives plain values, validated later. */
export interface Section {
  readonly title: string
  readonly write: (bundle: ContextBundle) => string[]
  readonly read: (lines: readonly string[]) => [path: readonly string[], value: unknown][]
  /** The line of one item, if the section is a list. */
  readonly line?: (item: never) => string
}

type Item = ContextBundle['findings'][number]

export function textSection(
  title: string,
  path: readonly string[],
  get: (bundle: ContextBundle) => string | undefined,
): Section {
  return {
    title,
    write: (bundle) => formatText(get(bundle) ?? ''),
    read: (lines) => [[path, parseText(lines)]],
  }
}

export function listSection<T>(
  title: string,
  path: readonly string[],
  get: (bundle: ContextBundle) => readonly T[] | undefined,
  format: (value: T) => string,
  parse: (line: string) => unknown,
): Section {
  return {
    title,
    write: (bundle) => (get(bundle) ?? []).map(format),
    read: (lines) => [[path, lines.map(parse)]],
    line: format as (item: never) => string,
  }
}

export function itemSection(
  title: string,
  path: readonly string[],
  get: (bundle: ContextBundle) => readonly Item[] | undefined,
): Section {
  return listSection(
    title,
    path,
    get,
    (item) => formatItem({ main: item.text, evidence: item.evidence, unverified: item.unverified === true }),
    (text) => {
      const item = parseItem(text)
      return { text: item.main, evidence: item.evidence, ...flag(item) }
    },
  )
}

export function flag(item: { readonly unverified: boolean }): { unverified?: true } {
  return item.unverified ? { unverified: true } : {}
}

export function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}
