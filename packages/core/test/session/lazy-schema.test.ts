import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { lazySchema } from '../../src/session/lazy-schema.ts'

describe('lazySchema', () => {
  it('builds the schema once, when it is first used', () => {
    const build = vi.fn(() => z.strictObject({ name: z.string() }))
    const schema = lazySchema(build)
    expect(build).not.toHaveBeenCalled()
    expect(schema.parse({ name: 'a' })).toEqual({ name: 'a' })
    expect(schema.safeParse({ name: 1 }).success).toBe(false)
    expect(build).toHaveBeenCalledOnce()
  })

  it('reports in English', () => {
    const schema = lazySchema(() => z.string())
    expect(schema.safeParse(1).error?.issues[0]?.message).toBe(
      'Invalid input: expected string, received number',
    )
  })

  it('gives a schema from which others can be made', () => {
    const line = lazySchema(() => z.string().check(z.minLength(1)))
    const inner = lazySchema(() => z.strictObject({ line, lines: z.optional(z.array(line)) }))
    const outer = z.strictObject({ ...inner.shape, more: z.extend(inner, { count: z.number() }) })
    const value = { line: 'a', lines: ['b'], more: { line: 'c', count: 1 } }
    expect(outer.parse(value)).toEqual(value)
    expect(outer.safeParse({ ...value, line: '' }).success).toBe(false)
    expect(outer.safeParse({ ...value, lines: [''] }).success).toBe(false)
  })

  it('looks like the schema to code that inspects it', () => {
    const schema = lazySchema(() => z.strictObject({ name: z.string() }))
    expect(schema).toBeInstanceOf(z.ZodMiniObject)
    expect('_zod' in schema).toBe(true)
    expect(schema['~standard'].vendor).toBe('zod')
    expect(z.toJSONSchema(schema)).toEqual(z.toJSONSchema(z.strictObject({ name: z.string() })))
  })
})
