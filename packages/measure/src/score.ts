import { atOnce, type Steps } from '@tenfold/core/internal'

/** How many facts of a kind a text keeps. */
export interface Score {
  /** Number of facts that the text keeps. */
  readonly kept: number
  /** Number of all facts. */
  readonly of: number
  /** The facts that the text does not keep. */
  readonly missed: readonly string[]
}

/** Counts the facts that pass. */
export function scoreOf<T>(
  facts: readonly T[],
  keeps: (fact: T) => boolean,
  name: (fact: T) => string,
): Score {
  return atOnce(scoring(facts, keeps, name))
}

/** Like {@link scoreOf}, but can pause at each fact and wherever `keeps` pauses. */
export function* scoring<T>(
  facts: readonly T[],
  keeps: (fact: T) => boolean | Steps<boolean>,
  name: (fact: T) => string,
): Steps<Score> {
  const missed: string[] = []
  for (const fact of facts) {
    yield
    const kept = keeps(fact)
    if (!(typeof kept === 'boolean' ? kept : yield* kept)) missed.push(name(fact))
  }
  return { kept: facts.length - missed.length, of: facts.length, missed }
}

/** Whether any value passes, such as a text of a large log. Can pause at each. */
export function* someOf<T>(all: readonly T[], passes: (one: T) => boolean): Steps<boolean> {
  for (const one of all) {
    yield
    if (passes(one)) return true
  }
  return false
}

/** The share that was kept. Undefined if there was nothing to keep. */
export function shareOf(score: Score): number | undefined {
  return score.of === 0 ? undefined : score.kept / score.of
}
