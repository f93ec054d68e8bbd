import { renderIndex } from '@tenfold/view'
import { describe, expect, it } from 'vitest'

const entry = {
  ...{ href: 'one.html', title: 'One', project: 'dev/shop', agent: 'codex', words: '' },
  ...{ turns: 1, sourceTokens: 12_000, ratio: 0.0984 },
}
const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, '|')

describe('renderIndex', () => {
  it('has a column of costs only if a session has a cost', () => {
    expect(renderIndex([entry])).not.toContain('>Cost</button>')
    const cost = { amount: 6, currency: 'USD', pricesOf: '2026-01-01' }
    const html = renderIndex([entry, { ...entry, cost }])
    expect(html).toContain('>Cost</button>')
    expect(textOf(html)).toContain('$6.00')
    const rows = html.match(/<tr data-.*?<\/tr>/gs) ?? []
    expect(rows.map((row) => row.match(/<td/g)?.length)).toEqual([7, 7])
  })

  it('shows how large a bundle is, also one that is larger than its session', () => {
    const html = textOf(renderIndex([entry, { ...entry, sourceTokens: 6, ratio: 41.333 }]))
    expect(html).toContain('|9.8 %|')
    expect(html).toContain('|4,133 %|')
  })
})
