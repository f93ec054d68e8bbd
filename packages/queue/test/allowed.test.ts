import { describe, expect, it } from 'vitest'
import { assertAllowed } from '../src/allowed.ts'

describe('the stores that a worker may use', () => {
  const refusal = (allowed: string, store: string): boolean => {
    const job = { version: 1 as const, store, log: { name: 'a' }, request: {}, run: 'r' }
    try {
      assertAllowed(job, { allowStores: [allowed] })
      return false
    } catch {
      return true
    }
  }

  it.each([
    ['s3://team/agents', 's3://team/agents'],
    ['s3://team/agents/', 's3://team/agents/shop'],
    ['s3://team/a?region=eu', 's3://team/a/b?region=eu'],
    ['/srv/stores', '/srv/stores/shop'],
    ['/', '/srv'],
  ])('are %s, for example %s', (allowed, store) => {
    expect(refusal(allowed, store)).toBe(false)
  })

  it.each([
    ['s3://team/agents', 's3://team/agents-of-others'],
    ['s3://team/agents', 's3://team/agents/../private'],
    ['s3://team/agents', 's3://team/agents/%2e%2e/private'],
    ['s3://team/agents', 's3://team/agents?endpoint=http://evil.example'],
    ['s3://team/agents', '/team/agents'],
    ['/srv/stores', '/srv/stores-of-others'],
    ['/srv/stores', '/srv/stores/../private'],
    ['/srv/stores', 's3://srv/stores'],
  ])('are %s, and not %s', (allowed, store) => {
    expect(refusal(allowed, store)).toBe(true)
  })
})
