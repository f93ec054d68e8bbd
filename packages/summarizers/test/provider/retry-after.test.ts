import { describe, expect, it } from 'vitest'
import { retryAfterMs } from '../../src/provider/call-error.ts'

describe('retryAfterMs', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '2' }, 2000],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': '3600' }, 3_600_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, 9000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '0x10' }, undefined],
    [{ 'retry-after': '1e9' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'NaN' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads %j', (headers, ms) => {
    expect(retryAfterMs((name) => headers[name], 1000)).toBe(ms)
    expect(retryAfterMs((name) => new Headers(headers).get(name), 1000)).toBe(ms)
  })
})
