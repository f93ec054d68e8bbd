import { atOnce, type Steps } from '@tenfold/core/internal'

/** How many facts of a kind a text keeps; `missed` names the others. */
export interface Score {
  /** How many it keeps. */
  readonly kept: number
  /** How many there are. */
  readonly of: number
  /** Those that it does not keep. */
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

/** The work of {@link scoreOf}, which can pause at each fact, and where `keeps` does. */
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

/** Whether one of many passes, such as of the texts of a large log; can pause at each. */
export function* someOf<T>(all: readonly T[], passes: (one: T) => boolean): Steps<boolean> {
  for (const one of all) {
    yield
    if (passes(one)) return true
  }
  return false
}

/** Share kept; undefined if there was nothing to keep. */
export function shareOf(score: Score): number | undefined {
  return score.of === 0 ? undefined : score.kept / score.of
}
