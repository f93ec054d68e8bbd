/** How many facts of a kind a text keeps; `missed` names the others. */
export interface Score {
  readonly kept: number
  readonly of: number
  readonly missed: readonly string[]
}

/** Counts the facts that pass. */
export function scoreOf<T>(
  facts: readonly T[],
  keeps: (fact: T) => boolean,
  name: (fact: T) => string,
): Score {
  const missed = facts.filter((fact) => !keeps(fact)).map(name)
  return { kept: facts.length - missed.length, of: facts.length, missed }
}

/** Share kept; undefined if there was nothing to keep. */
export function shareOf(score: Score): number | undefined {
  return score.of === 0 ? undefined : score.kept / score.of
}
