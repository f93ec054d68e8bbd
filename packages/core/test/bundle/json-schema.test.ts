import { describe, expect, it } from 'vitest'
import { bundleJsonSchema, bundleSchema } from '../../src/bundle/schema.ts'

describe('bundleJsonSchema', () => {
  it('equals bundle.schema.json', async () => {
    // Stale? Run this file with `npx vitest run packages/core/test/bundle/json-schema.test.ts -u` and commit.
    const json = `${JSON.stringify(bundleJsonSchema(), null, 2)}\n`
    await expect(json).toMatchFileSnapshot('../../bundle.schema.json')
  })

  it('contains all fields of the bundle, and no others', () => {
    const { properties, additionalProperties, required } = bundleJsonSchema()
    const fields = Object.keys(bundleSchema.shape)
    expect(Object.keys(properties as object).sort()).toEqual(fields.toSorted())
    expect(additionalProperties).toBe(false)
    const optional = fields.filter((field) => !(required as string[]).includes(field))
    expect(optional.toSorted()).toEqual([
      'carried',
      'plan',
      'previous',
      'progress',
      'research',
      'shown',
      'state',
      'task',
      'validation',
    ])
  })

  it('has a title and no address', () => {
    const { $schema, $id, title, description } = bundleJsonSchema()
    expect($schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect([$id, title]).toEqual([undefined, 'Tenfold context bundle'])
    expect(description).toMatch(/schema version 1/)
  })
})
