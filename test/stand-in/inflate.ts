import type { Json } from './call.ts'

/**
 * The value with very long strings, still valid: words that the schema names and event ids stay. Each string gets
 * `chars` characters, fewer if the whole would pass `most`.
 */
export function inflated(value: unknown, schema: Json | undefined, chars: number, most: number): string {
  const words = enumWords(schema)
  const grows = (text: string) => !words.has(text) && !/^e\d+$/.test(text) && !/^\d{4}-\d\d-\d\d/.test(text)
  const strings = stringsOf(value).filter(grows).length
  const size = JSON.stringify(value).length
  const each = Math.min(chars, Math.floor((most * 0.9 - size) / Math.max(1, strings)))
  const long = (text: string) => `${text}${' and so on'.repeat(Math.max(0, Math.floor(each / 10)))}`
  return JSON.stringify(mapStrings(value, (text) => (grows(text) ? long(text) : text)))
}

function enumWords(node: unknown, into = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return into
  for (const [key, child] of Object.entries(node)) {
    if (key === 'enum' || key === 'const') for (const word of stringsOf(child)) into.add(word)
    else enumWords(child, into)
  }
  return into
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : []
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, mapStrings(child, change)]))
}
