/**
 * Seed of a property test: fixed in `npm test`. `TENFOLD_SEED` moves all of them, and repeats a run that drew it:
 * `npm run soak` draws a number and prints it.
 */
export function seedOf(fixed: number): number {
  const drawn = Number(process.env.TENFOLD_SEED ?? 0)
  if (!Number.isSafeInteger(drawn) || drawn < 0)
    throw new Error(`expected TENFOLD_SEED to be a whole number, got ${process.env.TENFOLD_SEED}`)
  return (fixed + drawn) % 2_000_000_000
}
