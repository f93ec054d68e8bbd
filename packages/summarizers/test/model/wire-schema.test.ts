import { bundleKinds } from '@tenfold/core/bundle'
import { describe, expect, it } from 'vitest'
import { looseWireSchema, wireJsonSchema, wireSchema } from '../../src/model/wire-schema.ts'

interface Node {
  readonly [keyword: string]: unknown
}

const keywords = new Set(['type', 'properties', 'required', 'additionalProperties', 'items', 'enum'])
const types = new Set(['object', 'array', 'string'])
const nullable = JSON.stringify(['string', 'null'])

/** What OpenAI and Anthropic refuse, or misunderstand, in a schema of an answer. */
function faultsOf(schema: Node): string[] {
  const faults: string[] = []
  let nullables = 0
  const walk = (node: Node, path: string, depth: number): void => {
    const fault = (text: string) => faults.push(`${path}: ${text}`)
    if (depth > 5) fault('is too deep')
    for (const keyword of Object.keys(node)) if (!keywords.has(keyword)) fault(`has ${keyword}`)
    if (JSON.stringify(node.type) === nullable) nullables++
    else if (!types.has(String(node.type))) fault(`has type ${JSON.stringify(node.type)}`)
    if (node.type === 'object') {
      const properties = Object.entries((node.properties ?? {}) as Record<string, Node>)
      if (node.additionalProperties !== false) fault('is open')
      if (properties.length === 0) fault('can only be {}')
      const required = new Set(node.required as string[])
      for (const [name, child] of properties) {
        if (!required.has(name)) fault(`${name} is optional`)
        walk(child, `${path}.${name}`, depth + 1)
      }
    }
    if (node.type === 'array') {
      if (typeof node.items !== 'object' || node.items === null || Array.isArray(node.items))
        fault('has no items')
      else walk(node.items as Node, `${path}[]`, depth + 1)
    }
    if (node.enum !== undefined && !(node.enum as unknown[]).every((value) => typeof value === 'string'))
      fault('has an enum of other than strings')
  }
  if (schema.type !== 'object') faults.push('root is no object')
  walk(schema, '$', 1)
  if (nullables > 3) faults.push(`${nullables} nullables`)
  return faults
}

const closed = (properties: Record<string, Node>): Node => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

describe('the check of portable schemas', () => {
  const text: Node = { type: 'string' }
  const deep = closed({ a: closed({ a: closed({ a: closed({ a: closed({ a: text }) }) }) }) })
  it.each<[string, Node]>([
    ['an open object', { ...closed({ a: text }), additionalProperties: {} }],
    ['an optional field', { ...closed({ a: text }), required: [] }],
    ['a limit', closed({ a: { ...text, maxLength: 3 } })],
    ['a reference', closed({ a: { $ref: '#' } })],
    ['definitions', { ...closed({ a: text }), $defs: {} }],
    ['$schema', { ...closed({ a: text }), $schema: 'x' }],
    ['a record', closed({ a: { type: 'object', additionalProperties: text } })],
    ['a tuple', closed({ a: { type: 'array', items: [text] } })],
    ['a union', closed({ a: { anyOf: [text, closed({ b: text })] } })],
    ['null', closed({ a: { type: 'null' } })],
    [
      'many nullables',
      closed(Object.fromEntries([...'abcd'].map((name) => [name, { type: ['string', 'null'] }]))),
    ],
    ['an enum of numbers', closed({ a: { type: 'string', enum: [1] } })],
    ['an object without fields', closed({ a: closed({}) })],
    ['a root that is no object', { type: 'array', items: text }],
    ['depth', deep],
  ])('finds %s', (_, schema) => expect(faultsOf(schema)).not.toEqual([]))

  it('accepts a portable schema', () => {
    const fine = closed({ a: { type: ['string', 'null'] }, b: { type: 'array', items: text } })
    expect(faultsOf(fine)).toEqual([])
  })
})

describe.each(bundleKinds)('the wire schema of a %s summary', (kind) => {
  it.each([false, true])('is in the portable subset, updates: %s', (updates) => {
    expect(faultsOf(wireJsonSchema(kind, { updates }))).toEqual([])
    expect(faultsOf(wireJsonSchema(kind, { updates, carries: true }))).toEqual([])
  })

  it('has the fields of its kind and, for an update, those for what changed', () => {
    const names = (updates: boolean) => Object.keys(wireJsonSchema(kind, { updates }).properties as object)
    const own = {
      context: [],
      plan: ['approach', 'steps', 'risks'],
      progress: ['currentState', 'inProgress'],
      research: ['researchDecision'],
    }
    for (const [other, fields] of Object.entries(own))
      for (const field of fields) expect(names(false).includes(field)).toBe(other === kind)
    expect(names(true).filter((name) => !names(false).includes(name))).toEqual([
      'changed',
      'resolved',
      'obsolete',
    ])
    const carries = Object.keys(wireJsonSchema(kind, { updates: true, carries: true }).properties as object)
    expect(carries.filter((name) => !names(true).includes(name))).toEqual(['settled'])
  })

  it('is read leniently: entries of any kind, null for no text, but every field is required', () => {
    const fields = Object.keys(wireSchema(kind).shape)
    const lists = new Set(
      Object.entries(wireJsonSchema(kind).properties as Record<string, Node>).flatMap(([name, { type }]) =>
        type === 'array' ? [name] : [],
      ),
    )
    const answer = Object.fromEntries(fields.map((name) => [name, lists.has(name) ? [1, null, {}] : null]))
    expect(looseWireSchema(kind).safeParse(answer).success).toBe(true)
    for (const name of fields) {
      const { [name]: _, ...rest } = answer
      expect(looseWireSchema(kind).safeParse(rest).success, name).toBe(false)
    }
  })
})
