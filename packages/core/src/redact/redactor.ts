import type { Recipe } from '../session/recipe.ts'

/**
 * A secret in a text: UTF-16 offsets of its value, end exclusive, and what it is (`github-token`), which names its
 * mark.
 */
export interface SecretFinding {
  readonly start: number
  readonly end: number
  /** Lower case words joined by `-`. */
  readonly type: string
}

/**
 * Finds secrets in a text. Laws: findings are sorted and do not overlap; time is linear in the text, no matter what it
 * holds; the mark of a secret is not a finding; terminal escapes inside a secret do not hide it. `redactSession`
 * replaces them, everywhere and in every form.
 */
export interface Redactor {
  readonly name: string
  /** Tells redactors of one name apart; holds no secret. */
  readonly settings?: string
  /** How to make it in another thread; without it, it works only in this one. */
  readonly recipe?: Recipe
  find(text: string): readonly SecretFinding[]
}
