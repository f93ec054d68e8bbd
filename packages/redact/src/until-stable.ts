/** A replaced secret may let a redactor see another one; further rounds find nothing new. */
const maxRounds = 12

/** Repeats a step until it returns its own input. */
export function untilStable<T>(value: T, step: (value: T) => T): T {
  let current = value
  for (let round = 0; round < maxRounds; round++) {
    const next = step(current)
    if (next === current) return current
    current = next
  }
  return current
}
