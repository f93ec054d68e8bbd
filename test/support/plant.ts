import { createHash } from 'node:crypto'

/**
 * A value that looks like a token of GitHub, built at run time, so that the repository contains none. Same seed, same
 * value.
 */
export function madeUpToken(seed: string): string {
  const digits = createHash('sha256').update(seed).digest('base64url').replace(/[-_]/g, 'x')
  return ['ghp', digits.slice(0, 36)].join('_')
}

/** The kind of place of a text: its path without positions in lists, `message.content.[].text`. */
type Place = string

export interface Planted {
  readonly log: string
  readonly tokens: ReadonlyMap<Place, string>
}

/** Appends a token of its own to the first text at every place that has words, in all records of a log. */
export function plantInWords(
  lines: readonly string[],
  structural: (place: Place, text: string) => boolean,
): Planted {
  const tokens = new Map<Place, string>()
  const log = lines.map((line, index) => {
    const record: unknown = JSON.parse(line)
    const planted = walk(record, '', (text, place) => {
      const key = `${kindOf(record)} ${place}`
      if (tokens.has(key) || structural(place, text)) return text
      const token = madeUpToken(`${index} ${key}`)
      tokens.set(key, token)
      return `${text} ${token}`
    })
    return JSON.stringify(planted)
  })
  return { log: `${log.join('\n')}\n`, tokens }
}

/** A log for each group of places: there the first text at each of them is a token and nothing else. */
export function plantEverywhere(
  lines: readonly string[],
  groupOf: (place: Place, text: string) => string,
): Planted[] {
  const groups = new Map<string, Map<Place, string>>()
  for (const line of lines) {
    const record: unknown = JSON.parse(line)
    walk(record, '', (text, place) => {
      const key = `${kindOf(record)} ${place}`
      const group = groupOf(place, text)
      if (![...groups.values()].some((tokens) => tokens.has(key)))
        groups.set(group, (groups.get(group) ?? new Map()).set(key, madeUpToken(key)))
      return text
    })
  }
  return [...groups.values()].map((tokens) => {
    const left = new Map(tokens)
    const log = lines.map((line) => {
      const record: unknown = JSON.parse(line)
      const planted = walk(record, '', (text, place) => {
        const key = `${kindOf(record)} ${place}`
        const token = left.get(key)
        left.delete(key)
        return token ?? text
      })
      return JSON.stringify(planted)
    })
    return { log: `${log.join('\n')}\n`, tokens }
  })
}

/** Tokens in a text: as they are, or base64-coded at any of the three alignments. */
export function tokensIn(text: string, tokens: ReadonlyMap<Place, string>): Place[] {
  return [...tokens].flatMap(([place, token]) =>
    formsOf(token).some((form) => text.includes(form)) ? [place] : [],
  )
}

function formsOf(token: string): string[] {
  const coded = [0, 1, 2].map((shift) => {
    const text = Buffer.from(`${' '.repeat(shift)}${token}`).toString('base64')
    return text.slice(4, -4)
  })
  // A remaining part of a secret is a leak as well.
  return [token, token.slice(0, 20), token.slice(-20), ...coded]
}

function kindOf(record: unknown): string {
  if (typeof record !== 'object' || record === null) return ''
  const { type, payload } = record as { type?: unknown; payload?: { type?: unknown } }
  return [type, payload?.type].filter((part) => typeof part === 'string').join('/')
}

function walk(value: unknown, place: Place, change: (text: string, place: Place) => string): unknown {
  if (typeof value === 'string') return change(value, place)
  if (Array.isArray(value)) return value.map((item) => walk(item, `${place}[]`, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      walk(item, place === '' ? key : `${place}.${key}`, change),
    ]),
  )
}
