import { asObject } from '../session/json-values.ts'
import type { ItemForm, ItemParts } from './item-forms.ts'
import { formatItem, formatText, parseItem, parseText } from './markdown-items.ts'
import type { ContextBundle } from './schema.ts'

/** How a list, or its items of one sort, is shortened if the budget is short. */
export interface TrimRule<T> {
  /** Lists with a lower rank are more important: those with a higher one lose first. */
  readonly rank: number
  /** Name in the note on what was left out. @default the section's title in lower case */
  readonly name?: string
  readonly only?: (item: T) => boolean
  /** Maximum share of the whole budget, or of a budget of so many tokens. */
  readonly share: number | ((tokens: number) => number)
  /** Which items stay if not all can. */
  readonly keeps: 'first' | 'last'
  /** True if the first items stay where a model wrote them, the most important first. @default false */
  readonly ranked?: boolean
  /** Number of items that get room before any list gets its `least`. @default 0 */
  readonly first?: number
  /**
   * Number of items that get room, in their short form, before a more important list gets more than its own `least`.
   * @default 0
   */
  readonly least?: number
  /** A shorter form of an item, used if not all items fit in full: many short ones say more than a few long ones. */
  readonly short?: (item: T) => object
}

/** A section's lines in a brief. Rules with the same title make one block. */
export interface BriefRule<T> {
  /** Place in the brief, the lowest first. */
  readonly rank: number
  /** What guides the next session, what binds it, or what is history. @default 'history' */
  readonly part?: BriefPart
  /** @default the section's title */
  readonly title?: string
  /** Share of the brief, compared with other sections. */
  readonly share: number
  /** Tokens that it gets before any section gets its share. @default 60 */
  readonly first?: number
  readonly only?: (item: T) => boolean
  /** The last items come first, and stay if not all can. @default false */
  readonly newestFirst?: boolean
  /** True if items that a model wrote keep its order, the most important first. @default false */
  readonly ranked?: boolean
  /** @default the item's line in the bundle */
  readonly line?: (item: T) => string
}

export type BriefPart = 'guide' | 'binding' | 'history'

/** Place of a section's value in a bundle; that of a statement is the same in a session summary. */
export type SectionPath = readonly string[]

interface Common {
  /** Its heading in Markdown. */
  readonly title: string
  readonly path: SectionPath
  /** Its value in a bundle in which it is empty. */
  readonly empty: '' | [] | undefined
  /** Its lines. */
  readonly write: (bundle: ContextBundle) => Iterable<string>
  readonly read: (lines: readonly string[]) => unknown
  readonly trim: readonly TrimRule<never>[]
  readonly brief: readonly BriefRule<never>[]
}

/** A section of free text. */
export interface TextSection extends Common {
  readonly type: 'text'
  /** Maximum share of a bundle of so many tokens. */
  readonly maxShare: (tokens: number) => number
}

/** A section with one line for each of its items. */
export interface ListSection extends Common {
  readonly type: 'list'
  readonly item: (item: never) => ItemParts
  /**
   * If a summarizer writes the list: the letters of its statements' ids, what one is called, and the list that it goes
   * to when it is done or answered, or `gone`; others cannot be.
   */
  readonly statement?: Statement
}

type Statement<Name extends string = string> = readonly [
  id: string,
  name: Name,
  resolved?: 'tasksCompleted' | 'completed' | 'gone',
]

export interface OtherSection extends Common {
  readonly type: 'other'
}

export type Section = TextSection | ListSection | OtherSection

interface Rules<T> {
  readonly trim?: readonly TrimRule<T>[]
  readonly brief?: readonly BriefRule<T>[]
}

type ValueAt<T, Path extends SectionPath> = Path extends readonly [infer Key extends keyof T, ...infer Rest]
  ? ValueAt<NonNullable<T[Key]>, Rest extends SectionPath ? Rest : never>
  : T

type ItemAt<Path extends SectionPath> =
  NonNullable<ValueAt<ContextBundle, Path>> extends readonly (infer T)[] ? T : ValueAt<ContextBundle, Path>

export function textSection(
  title: string,
  path: SectionPath,
  maxShare: number | ((tokens: number) => number),
  brief: readonly BriefRule<string>[] = [],
): TextSection {
  return {
    type: 'text',
    title,
    path,
    empty: '',
    maxShare: typeof maxShare === 'number' ? () => maxShare : maxShare,
    write: (bundle) => formatText(String(valueAt(bundle, path) ?? '')),
    read: parseText,
    trim: [],
    brief,
  }
}

export function listSection<const Path extends SectionPath>(
  title: string,
  path: Path,
  form: ItemForm<ItemAt<Path>>,
  { trim = [], brief = [] }: Rules<ItemAt<Path>> = {},
): ListSection {
  return {
    type: 'list',
    title,
    path,
    empty: [],
    item: form.write,
    write: (bundle) => itemsAt(bundle, path).map((item) => formatItem(form.write(item as ItemAt<Path>))),
    read: (lines) => lines.map((line) => form.read(parseItem(line))),
    trim,
    brief,
  }
}

/** A list whose items a summarizer writes. */
export function statementSection<const Path extends SectionPath, const Name extends string>(
  title: string,
  path: Path,
  form: ItemForm<ItemAt<Path>>,
  statement: Statement<Name>,
  rules?: Rules<ItemAt<Path>>,
): ListSection & { readonly statement: Statement<Name> } {
  return { ...listSection(title, path, form, rules), statement }
}

/** A section of at most one item, absent if there is none. */
export function singleSection<const Path extends SectionPath>(
  title: string,
  path: Path,
  form: ItemForm<ItemAt<Path>>,
  rules?: Rules<ItemAt<Path>>,
): ListSection {
  return {
    ...listSection(title, path, form, rules),
    empty: undefined,
    read: ([line = '']) => form.read(parseItem(line)),
  }
}

export function otherSection<const Path extends SectionPath>(
  title: string,
  path: Path,
  write: (value: ValueAt<ContextBundle, Path>) => Iterable<string>,
  read: (lines: readonly string[]) => unknown,
): OtherSection {
  return {
    type: 'other',
    title,
    path,
    empty: [],
    write: (bundle) => write(valueAt(bundle, path) as ValueAt<ContextBundle, Path>),
    read,
    trim: [],
    brief: [],
  }
}

/** A section that may be absent; `write` gets undefined then. */
export function optionalSection<const Path extends SectionPath>(
  title: string,
  path: Path,
  write: (value: ValueAt<ContextBundle, Path> | undefined) => Iterable<string>,
  read: (lines: readonly string[]) => unknown,
): OtherSection {
  return { ...otherSection(title, path, write, read), empty: undefined }
}

/** Returns the value at a path, undefined if there is none. */
export function valueAt(value: object, path: SectionPath): unknown {
  return path.reduce<unknown>((inner, key) => asObject(inner)?.[key], value)
}

/** Returns the items at the path of a list; none if there is no value. */
export function itemsAt(value: object, path: SectionPath): readonly unknown[] {
  const found = valueAt(value, path)
  return Array.isArray(found) ? found : found === undefined ? [] : [found]
}

/** Returns a copy with other items at the path of a list, or of the one item that it has there. */
export function withItems<T extends object>(value: T, path: SectionPath, items: readonly unknown[]): T {
  return withValue(value, path, Array.isArray(valueAt(value, path)) ? items : items[0])
}

/** Returns a copy with another value at a path, and with the objects on the way to it. */
export function withValue<T extends object>(value: T, path: SectionPath, replacement: unknown): T {
  const put = (inner: unknown, [key, ...rest]: SectionPath): unknown =>
    key === undefined ? replacement : { ...asObject(inner), [key]: put(asObject(inner)?.[key], rest) }
  return put(value, path) as T
}
