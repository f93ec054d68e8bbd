/** `npm run soak` sets it: every test repeats what it does as often as it can. */
export const everyPoint = process.env.TENFOLD_EVERY_POINT === '1'

/** How often a test repeats: `few` times in `npm test`, which finds a fault in practice, `all` in `npm run soak`. */
export function repeats({ few, all }: { readonly few: number; readonly all: number }): number {
  return everyPoint ? all : few
}
