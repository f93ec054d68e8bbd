import type { TokenCounter as PlainCounter } from '@tenfold/tokens'
import type { Recipe } from '../session/recipe.ts'

/** A counter of @tenfold/tokens or of your own. The bundle records its name next to every number. */
export interface TokenCounter extends PlainCounter {
  /** How to make the counter in another thread; without it, the counter works only in this one. */
  readonly recipe?: Recipe
}
