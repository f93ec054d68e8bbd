import type * as z from 'zod/mini'
import { line, text } from './fields.ts'

/**
 * What somebody writes in a field of a bundle, a model or a person: the form of its schema without what code adds to a
 * statement. From it the answer of a model and the fields of `save` are made, so that a field is defined only once.
 */
export type WrittenForm = { readonly optional?: boolean } & (
  | { readonly holds: 'line' | 'text' | 'time' | 'flag' | 'count' }
  | { readonly holds: 'choice'; readonly of: readonly string[] }
  | { readonly holds: 'list'; readonly of: WrittenForm }
  | FieldsForm
)

export interface FieldsForm {
  readonly holds: 'fields'
  readonly of: Readonly<Record<string, WrittenForm>>
  /** The field that alone makes a statement: `text`, `choice`, `action`, `path`. Absent if it is no statement. */
  readonly main?: string
}

/** What code adds. */
const computed: readonly string[] = ['evidence', 'unverified']

/** The definition of a schema, as far as the schemas of a bundle's statements go. */
interface Definition {
  readonly type: string
  readonly innerType: z.ZodMiniType
  readonly element: z.ZodMiniType
  readonly shape: Readonly<Record<string, z.ZodMiniType>>
  readonly entries: Readonly<Record<string, string>>
}

/** The form of what is written for a schema. */
export function writtenForm(schema: z.ZodMiniType): WrittenForm {
  if (schema === line) return { holds: 'line' }
  if (schema === text) return { holds: 'text' }
  const { type, innerType, element, shape, entries } = schema._zod.def as unknown as Definition
  if (type === 'optional') return { ...writtenForm(innerType), optional: true }
  if (type === 'array') return { holds: 'list', of: writtenForm(element) }
  if (type === 'object') return fieldsForm(shape)
  if (type === 'enum') return { holds: 'choice', of: Object.values(entries) }
  if (type === 'literal') return { holds: 'flag' }
  return { holds: type === 'string' ? 'time' : 'count' }
}

function fieldsForm(shape: Definition['shape']): FieldsForm {
  const written = Object.entries(shape).filter(([name]) => !computed.includes(name))
  const of = Object.fromEntries(written.map(([name, field]) => [name, writtenForm(field)]))
  const main = Object.keys(of).find((name) => of[name]?.holds === 'line' && of[name]?.optional !== true)
  return { holds: 'fields', of, ...('evidence' in shape && main !== undefined && { main }) }
}
