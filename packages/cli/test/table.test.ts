import { describe, expect, it } from 'vitest'
import { formatTable } from '../src/terminal/table.ts'

const columns = [{ title: 'ID' }, { title: 'KIND', drop: 2 }, { title: 'STEP', drop: 1 }, { title: 'NAME' }]
const rows = [['a1', 'context', 'write a test', 'first session']]

describe('formatTable', () => {
  it('keeps everything if nothing limits the width', () => {
    expect(formatTable(columns, rows)[1]).toBe('a1  context  write a test  first session')
  })

  it('leaves out columns until the table fits, and then cuts its lines', () => {
    expect(formatTable(columns, rows, 40)[1]).toBe('a1  context  write a test  first session')
    expect(formatTable(columns, rows, 39)[1]).toBe('a1  write a test  first session')
    expect(formatTable(columns, rows, 20)).toEqual(['ID  NAME', 'a1  first session'])
    expect(formatTable(columns, rows, 10)).toEqual(['ID  NAME', 'a1  first…'])
  })
})
