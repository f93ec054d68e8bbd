/** Cases of a suite by the names of the laws that they check. */
export function casesOf<Case extends { readonly name: string; run(given: never): unknown }>(
  laws: Readonly<Record<string, Case['run']>>,
): readonly Case[] {
  return Object.entries(laws).map(([name, run]) => ({ name, run }) as Case)
}
