import type { Redactor } from '@tenfold/core'
import type { SecretCase } from './labelled-cases.ts'

/** How many of some cases came out right. */
export interface Tally {
  readonly right: number
  readonly all: number
}

/** The share that came out right; 1 if there were none. */
export function shareOf({ right, all }: Tally): number {
  return all === 0 ? 1 : right / all
}

/**
 * Whether no secret leaks, or a text without secrets is unchanged. A secret leaks if 8 of its characters in a row
 * are left, or half of a secret of fewer than 16.
 */
export function comesOutRight({ text, secrets }: SecretCase, redactor: Redactor): boolean {
  const found = redactor.find(text)
  if (secrets.length === 0) return found.length === 0
  const hidden = new Uint8Array(text.length)
  for (const { start, end } of found) hidden.fill(1, start, end)
  return secrets.every(({ start, end }) => {
    const length = end - start
    const leak = length >= 16 ? 8 : Math.max(1, Math.ceil(length / 2))
    let run = 0
    for (let index = start; index < end; index++) {
      run = hidden[index] === 1 ? 0 : run + 1
      if (run >= leak) return false
    }
    return true
  })
}

/** Tallies of cases by a key; cases without a key are left out. */
export function tallyBy<T extends { readonly right: boolean }>(
  results: readonly T[],
  keyOf: (result: T) => string | undefined,
): Map<string, Tally> {
  const tallies = new Map<string, Tally>()
  for (const result of results) {
    const key = keyOf(result)
    if (key === undefined) continue
    const { right, all } = tallies.get(key) ?? { right: 0, all: 0 }
    tallies.set(key, { right: right + (result.right ? 1 : 0), all: all + 1 })
  }
  return new Map([...tallies].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The mean of the shares of all families: a large family counts no more than a small one. */
export function macroShare(tallies: Iterable<Tally>): number {
  const shares = [...tallies].map(shareOf)
  return shares.length === 0 ? 1 : shares.reduce((sum, share) => sum + share, 0) / shares.length
}
