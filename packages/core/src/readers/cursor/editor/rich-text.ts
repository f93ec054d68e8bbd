import { asList, asObject, asText } from '../../../session/json-values.ts'
import { jsonIn } from './rows.ts'

/** The words in the state of a Lexical editor (https://lexical.dev), a paragraph a line; other text unchanged. */
export function richTextOf(value: unknown): string {
  const text = asText(value) ?? ''
  const root = asObject(asObject(jsonIn(text))?.root)
  if (root === undefined) return text.startsWith('{') ? '' : text
  return asList(root.children)
    .map((paragraph) => wordsIn(paragraph))
    .join('\n')
    .trim()
}

function wordsIn(node: unknown): string {
  const fields = asObject(node)
  if (fields?.type === 'linebreak') return '\n'
  return asText(fields?.text) ?? asList(fields?.children).map(wordsIn).join('')
}
