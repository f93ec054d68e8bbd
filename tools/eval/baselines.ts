import type { TokenCounter } from '@tenfold/core'
import { identifiersOf } from '@tenfold/measure/internal'
import type { Unit } from './units.ts'

/** Makes a text of at most `budget` tokens from the units of a log. */
export type Baseline = (units: readonly Unit[], budget: number, counter: TokenCounter) => string

/** The methods that a compressor must beat, at the same number of tokens. */
export const baselines: readonly (readonly [name: string, method: Baseline])[] = [
  ['head', (units, budget, counter) => join(takeFirst(units, budget, counter))],
  ['tail', (units, budget, counter) => join(takeLast(units, budget, counter))],
  ['head+tail', headTail],
  ['masked tail', maskedTail],
  ['SumBasic', sumBasic],
  ['TextRank', textRank],
  ['entity list', entityList],
]

function join(units: readonly Unit[]): string {
  return units.map((unit) => unit.text).join('\n')
}

function takeFirst(units: readonly Unit[], budget: number, counter: TokenCounter): Unit[] {
  const taken: Unit[] = []
  let left = budget
  for (const unit of units) {
    const size = counter.count(unit.text) + 1
    if (size > left) break
    left -= size
    taken.push(unit)
  }
  return taken
}

function takeLast(units: readonly Unit[], budget: number, counter: TokenCounter): Unit[] {
  return takeFirst(units.toReversed(), budget, counter).reverse()
}

function headTail(units: readonly Unit[], budget: number, counter: TokenCounter): string {
  const head = takeFirst(units, budget / 2, counter)
  return join([...head, ...takeLast(units.slice(head.length), budget / 2, counter)])
}

/** The end of the session without the answers of tools: observation masking. */
function maskedTail(units: readonly Unit[], budget: number, counter: TokenCounter): string {
  const said = units.filter((unit) => unit.type !== 'tool_result')
  return join(takeLast(said, budget, counter))
}

/** Best units first until the budget is full, then put in order. Skips units that do not fit. */
function takeRanked(
  units: readonly Unit[],
  order: Iterable<number>,
  budget: number,
  counter: TokenCounter,
): string {
  const taken: number[] = []
  let left = budget
  for (const at of order) {
    const size = counter.count(units[at]?.text ?? '') + 1
    if (size <= left) {
      left -= size
      taken.push(at)
    }
    if (left < 20) break
  }
  return join(taken.sort((a, b) => a - b).flatMap((at) => units[at] ?? []))
}

function wordsOf(unit: Unit): string[] {
  return unit.text.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_]{2,40}/gu) ?? []
}

/** Nenkova and Vanderwende 2005: units of frequent words, each word counting less once it was used. */
function sumBasic(units: readonly Unit[], budget: number, counter: TokenCounter): string {
  const words = units.map(wordsOf)
  const weight = new Map<string, number>()
  const total = words.reduce((sum, list) => sum + list.length, 0)
  for (const word of words.flat()) weight.set(word, (weight.get(word) ?? 0) + 1 / total)
  const open = new Set(units.keys())
  const worth = (at: number) => {
    const list = words[at] ?? []
    return list.reduce((sum, word) => sum + (weight.get(word) ?? 0), 0) / Math.max(1, list.length)
  }
  function* order(): Generator<number> {
    while (open.size > 0) {
      let best = -1
      let most = -1
      for (const at of open) {
        const value = worth(at)
        if (value > most) [best, most] = [at, value]
      }
      open.delete(best)
      for (const word of new Set(words[best])) weight.set(word, (weight.get(word) ?? 0) ** 2)
      yield best
    }
  }
  return takeRanked(units, order(), budget, counter)
}

/** Mihalcea and Tarau 2004: PageRank over shared words; only the 40 strongest edges of a unit are kept. */
function textRank(units: readonly Unit[], budget: number, counter: TokenCounter): string {
  const words = units.map((unit) => [...new Set(wordsOf(unit))])
  const places = new Map<string, number[]>()
  for (const [at, list] of words.entries())
    for (const word of list) {
      const known = places.get(word)
      if (known === undefined) places.set(word, [at])
      else known.push(at)
    }
  const edges = words.map((list, at) => {
    const shared = new Map<number, number>()
    for (const word of list) {
      const others = places.get(word) ?? []
      if (others.length > Math.max(10, units.length / 10)) continue
      for (const other of others) if (other !== at) shared.set(other, (shared.get(other) ?? 0) + 1)
    }
    const norm = (other: number) => Math.log(list.length + 1) + Math.log((words[other]?.length ?? 0) + 1)
    const near = [...shared].map(([other, count]) => [other, count / norm(other)] as const)
    return near.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 40)
  })
  const out = edges.map((list) => list.reduce((sum, [, value]) => sum + value, 0))
  let rank = new Float64Array(units.length).fill(1)
  for (let round = 0; round < 25; round++) {
    const next = new Float64Array(units.length).fill(0.15)
    for (const [at, list] of edges.entries())
      for (const [other, value] of list)
        next[other] = (next[other] ?? 0) + (0.85 * (rank[at] ?? 0) * value) / (out[at] || 1)
    rank = next
  }
  const order = [...units.keys()].sort((a, b) => (rank[b] ?? 0) - (rank[a] ?? 0) || a - b)
  return takeRanked(units, order, budget, counter)
}

/** Names only, most used first, one per line: must lose on bound facts, otherwise the measure is broken. */
function entityList(units: readonly Unit[], budget: number, counter: TokenCounter): string {
  const counts = new Map<string, number>()
  for (const unit of units)
    for (const name of identifiersOf(unit.text)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([name]) => ({ text: name, type: 'other' }) as const)
  return join(takeFirst(names, budget, counter))
}
