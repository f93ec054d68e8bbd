import { describe, expect, it } from 'vitest'
import { phraseFinder } from '../../src/text/phrase-finder.ts'

function found(text: string, phrases: readonly (readonly [phrase: string, start?: string])[]): string[] {
  const finder = phraseFinder()
  for (const [phrase, start] of phrases) finder.add(phrase, start)
  const all = new Set<string>()
  finder.find(text, (phrase) => all.add(phrase))
  return [...all].sort()
}

describe('phraseFinder', () => {
  it('finds words that follow each other, in any case, whatever separates them', () => {
    const text = 'Approve every\n  "RELEASE" at once. größe_2 — Ünder; 部件'
    expect(
      found(text, [
        ['every release at'],
        ['GRÖSSE_2 ünder'],
        ['größe_2 ünder'],
        ['部件'],
        ['approve release'],
      ]),
    ).toEqual(['every release at', 'größe_2 ünder', '部件'])
  })

  it('finds whole words only, and beginnings of those that may go on', () => {
    expect(found('rereleased threads, (Deployments)', [['released'], ['thread'], ['read']])).toEqual([])
    expect(
      found('the Deployments', [
        ['deployment', 'deploy'],
        ['deploying', 'deployi'],
      ]),
    ).toEqual(['deployment'])
  })

  it('treats letters beyond the first plane as letters, and emoji not', () => {
    expect(found('\u{1d400}limit', [['limit']])).toEqual([])
    expect(found('🚀limit🚀', [['limit']])).toEqual(['limit'])
  })

  it('compares the last words of a long phrase', () => {
    const long = Array.from({ length: 40 }, (_, at) => `w${at}`).join('/')
    expect(found(`cd /${long}`, [[long], [`${long}/x`]])).toEqual([long])
  })
})
