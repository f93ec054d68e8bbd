import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { unlessRefused } from '../src/terminal/thrown.ts'

describe('unlessRefused', () => {
  const missing = (): string => readFileSync('/no/such/file', 'utf8')

  it('returns what was read, or the other value if the system refused it', () => {
    expect(unlessRefused(() => 'text', 'none')).toBe('text')
    expect(unlessRefused(missing, 'none')).toBe('none')
    expect(unlessRefused(missing, 'none', 'ENOENT')).toBe('none')
  })

  it('throws what has another code, or none', () => {
    expect(() => unlessRefused(missing, 'none', 'EACCES')).toThrow('ENOENT')
    expect(() => unlessRefused(() => JSON.parse('{'), 'none')).toThrow(SyntaxError)
  })
})
