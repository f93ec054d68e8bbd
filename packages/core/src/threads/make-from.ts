import { patternRedactor, secretRedactor, valueRedactor } from '@tenfold/redact'
import type { Recipe } from '../session/recipe.ts'
import { tiktokenCounter } from '../tokens/tiktoken-counter.ts'

// A bundler may rename the exports of this package, so that they cannot be looked up by their names.
const own = { patternRedactor, secretRedactor, tiktokenCounter, valueRedactor }

/** Makes what a recipe describes. */
export async function makeFrom<T>({ module, name, args = [] }: Recipe): Promise<T> {
  const exports: object = module === undefined ? own : await import(module)
  const made: unknown = Reflect.get(exports, name)
  if (made === undefined) throw new TypeError(`${module ?? 'this package'} has no export ${name}`)
  return (typeof made === 'function' ? made(...args) : made) as T
}
