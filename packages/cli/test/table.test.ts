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

  it('counts what terminals show as one character', () => {
    const names = ['👨‍👩‍👧', '🇩🇪', '❤️', '界', 'ok', 'e\u0301', '…']
    const lines = formatTable(
      [{ title: '' }, { title: '' }],
      names.map((name) => [name, '|']),
    )
    const spaces = ['  ', '  ', '  ', '  ', '  ', '   ', '   ']
    expect(lines).toEqual(names.map((name, at) => `${name}${spaces[at]}|`))
  })

  it('counts no styles, and closes those of a cut line', () => {
    const styled = [['a1', '\u001b[2mfirst session\u001b[22m']]
    expect(formatTable([{ title: '' }, { title: '' }], styled, 17)).toEqual([
      'a1  \u001b[2mfirst session\u001b[22m',
    ])
    expect(formatTable([{ title: '' }, { title: '' }], styled, 10)).toEqual(['a1  \u001b[2mfirst…\u001b[22m'])
  })

  it('leaves out an optional column if all its cells are empty', () => {
    const optional = [{ title: 'ID' }, { title: 'LABEL', isOptional: true }, { title: 'STEP' }] as const
    expect(formatTable(optional, [['1', '', 'a']])).toEqual(['ID  STEP', '1   a'])
    expect(
      formatTable(optional, [
        ['1', '', 'a'],
        ['2', 'noon', 'b'],
      ])[0],
    ).toBe('ID  LABEL  STEP')
  })
})
