import type { TokenUsage } from '@tenfold/core/summarizer'

/** Readers for values from the wire, which may be any JSON. */

/** The value if it is an object, otherwise an empty one. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value if it is a non-empty string. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The fields whose value is known. */
export function known<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}

/** Keeps the fields that are token counts; any other value is unknown. */
export function tokenUsage(counts: { readonly [K in keyof TokenUsage]: unknown }): TokenUsage {
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => Number.isSafeInteger(count) && Number(count) >= 0),
  )
}
