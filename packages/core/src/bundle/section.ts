import * as json from '../session/json.ts'
import type { FormOf, ItemForm } from './item-forms.ts'
import type { ContextBundle } from './schema.ts'

/** Path of a section's value in a bundle; that of a statement is the same in a session summary. */
export type SectionPath = readonly string[]

interface Common<Path extends SectionPath> {
  readonly title: string
  readonly path: Path
  /** True if the section is absent from bundles that have nothing for it. */
  readonly isOptional?: true
}

export interface TextSection<Path extends SectionPath = SectionPath> extends Common<Path> {
  readonly type: 'text'
}

export interface ListSection<Path extends SectionPath = SectionPath> extends Common<Path> {
  readonly type: 'list'
  readonly form: ItemForm
}

/** A section whose lines are not items: `ownLines` writes and reads them. */
export interface OtherSection<Path extends SectionPath = SectionPath> extends Common<Path> {
  readonly type: 'other'
}

export type Section = TextSection | ListSection | OtherSection

type ValueAt<T, Path extends SectionPath> = Path extends readonly [infer Key extends keyof T, ...infer Rest]
  ? ValueAt<NonNullable<T[Key]>, Rest extends SectionPath ? Rest : never>
  : T

/** Type of the items of the list at a path of a bundle, or of the single item there. */
export type ItemAt<Path extends SectionPath> =
  NonNullable<ValueAt<ContextBundle, Path>> extends readonly (infer T)[] ? T : ValueAt<ContextBundle, Path>

export function textSection<const Path extends SectionPath>(title: string, path: Path): TextSection<Path> {
  return { type: 'text', title, path }
}

export function listSection<const Path extends SectionPath>(
  title: string,
  path: Path,
  form: FormOf<ItemAt<Path>>,
): ListSection<Path> {
  return { type: 'list', title, path, form }
}

export function otherSection<const Path extends SectionPath>(title: string, path: Path): OtherSection<Path> {
  return { type: 'other', title, path }
}

export function optional<S extends Section>(section: S): S {
  return { ...section, isOptional: true }
}

export function valueAt(value: object, path: SectionPath): unknown {
  return path.reduce<unknown>((inner, key) => (inner as json.Fields | undefined)?.[key], value)
}

export function itemsAt(value: object, path: SectionPath): readonly unknown[] {
  const found = valueAt(value, path)
  return Array.isArray(found) ? found : found === undefined ? [] : [found]
}

/** Returns a copy with other items at a path, which may hold a list or a single item. */
export function withItems<T extends object>(value: T, path: SectionPath, items: readonly unknown[]): T {
  return withValue(value, path, Array.isArray(valueAt(value, path)) ? items : items[0])
}

export function withValue<T extends object>(value: T, path: SectionPath, replacement: unknown): T {
  const put = (inner: unknown, [key, ...rest]: SectionPath): unknown =>
    key === undefined ? replacement : { ...json.object(inner), [key]: put(json.object(inner)?.[key], rest) }
  return put(value, path) as T
}
