import { aFunction, aNumber, type Check, listOf, namedObject } from '../options/check.ts'
import type { Summarizer } from './summarizer.ts'

const summarizer: Check = (name, value) => {
  namedObject('a Summarizer', ['summarize'])(name, value)
  const { contextWindow, estimate, promptTokens } = value as Record<string, unknown>
  if (contextWindow !== undefined) aNumber(`${name}.contextWindow`, contextWindow)
  if (promptTokens !== undefined) aFunction(`${name}.promptTokens`, promptTokens)
  if (estimate !== undefined) aFunction(`${name}.estimate`, estimate)
}

/** Rejects with what the last one of a chain lacks if none of them can work. */
export async function assertReady(chain: readonly Summarizer[]): Promise<void> {
  const faults: unknown[] = []
  for (const one of chain) {
    try {
      return await one.assertReady?.()
    } catch (fault) {
      faults.push(fault)
    }
  }
  throw faults.at(-1)
}

/** One summarizer, or a chain of at least one. */
export const summarizers: Check = (name, value) => {
  if (!Array.isArray(value)) return summarizer(name, value)
  if (value.length === 0) throw new RangeError(`expected at least one summarizer in ${name}, got none`)
  listOf(summarizer)(name, value)
}
