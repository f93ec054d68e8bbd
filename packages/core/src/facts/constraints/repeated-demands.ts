import type { ConstraintFact } from '../facts.ts'

/** "You own only a.ts", "Keep ownership limited to that file." */
const scope =
  /\b(?:own only|ownership (?:is )?limited to|limit (?:your )?(?:changes|edits|work|ownership) to|(?:edit|change|touch|modify|own) only|only (?:edit|change|touch|modify|own))\s+(.{1,200})$/i
const pronoun = /^(?:that|this|the|these|those)(?: (?:one|same))? files?\W*$/i
const forbids = /^(?:please )?(?:do not|don['’]t|never)\s/i
/** "Return findings only, ordered by severity." */
const answerForm = /\bfindings?\b.*\bonly\b|\bonly\b.*\bfindings?\b/i
const nextClause = /(?:[;,]| and|[;,] and)\s+(?=(?:please )?(?:do not|don['’]t|never)\s)/i

/**
 * Leaves out demands that earlier ones hold already: an agent that gives a task to another repeats with each message
 * what it must not touch, and what its answer is to hold.
 */
export function withoutRepeated<T extends ConstraintFact>(demands: readonly T[]): T[] {
  const scopes = new Set<string>()
  const forbidden = new Set<string>()
  let hasForm = false
  return demands.filter(({ text }) => {
    if (answerForm.test(text)) {
      const isFirst = !hasForm
      hasForm = true
      return isFirst
    }
    const object = scope.exec(text)?.[1]
    if (object !== undefined) {
      const key = keyOf(object)
      if (scopes.has(key) || (scopes.size > 0 && pronoun.test(object))) return false
      scopes.add(key)
      return true
    }
    if (!forbids.test(text)) return true
    const clauses = text.split(nextClause).map(keyOf)
    const isRepeated = clauses.every((clause) => forbidden.has(clause))
    for (const clause of clauses) forbidden.add(clause)
    return !isRepeated
  })
}

/** The words without articles and plurals; "README or any other file" is any other file. */
function keyOf(clause: string): string {
  return (
    clause
      .toLowerCase()
      .replace(/\S+ or any other\b/g, 'other')
      .match(/[\p{L}\p{N}_./-]+/gu) ?? []
  )
    .map((word) => word.replace(/[.,]+$/, '').replace(/(?<=\w{3})s$/, ''))
    .filter((word) => !/^(?:the|a|an|any|please|'?)$/.test(word))
    .join(' ')
}
