/** Maps each word to its key: `{ settings: 'mode_changed model_changed' }` maps both words to `settings`. */
export function byWord<Key extends string>(
  words: Readonly<Partial<Record<Key, string>>>,
): ReadonlyMap<string, Key> {
  const keys = Object.entries(words) as [Key, string][]
  return new Map(keys.flatMap(([key, list]) => list.split(' ').map((word): [string, Key] => [word, key])))
}
