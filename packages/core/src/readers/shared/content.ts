import * as json from '../../session/json.ts'

export interface ContentParts {
  readonly texts: readonly string[]
  readonly images: number
  readonly others: readonly unknown[]
}

const pictures = new Set(
  'image image_url imageUrl input_image image-data image-url image-file-id document file input_file file-data file-url file-id media computer_screenshot input_audio'.split(
    ' ',
  ),
)

export function contentParts(content: unknown): ContentParts {
  if (content === null || content === undefined) return { texts: [], images: 0, others: [] }
  if (typeof content === 'string') return { texts: [content], images: 0, others: [] }
  const list = Array.isArray(content) ? content : [content]
  const texts: string[] = []
  const others: unknown[] = []
  let images = 0
  for (const item of list) {
    const part = json.object(item)
    const text = textOf(part)
    if (typeof item === 'string') texts.push(item)
    else if (text !== undefined) texts.push(text)
    else if (pictures.has(json.text(part?.type) ?? '')) images++
    else others.push(item)
  }
  return { texts, images, others }
}

function textOf(part: ReturnType<typeof json.object>): string | undefined {
  if (typeof part?.text === 'string') return part.text
  if (typeof part?.refusal === 'string') return part.refusal
  if (part?.type === 'tool_reference') return `tool: ${json.text(part.tool_name) ?? ''}`
  // A text document is part of the prompt's text.
  const source = json.object(part?.source)
  return part?.type === 'document' && source?.type === 'text' ? json.text(source.data) : undefined
}

/** Text of a tool's output in any form: text, a list of parts, or JSON. */
export function outputText(content: unknown): { readonly text: string; readonly images: number } {
  const parts = contentParts(content)
  const more = parts.others.map((other) => (other === null ? '' : JSON.stringify(other)))
  return { text: [...parts.texts, ...more].join('\n'), images: parts.images }
}

/** The number that the first group of an expression matches in a text, such as an exit code. */
export function numberIn(text: string, expression: RegExp): number | undefined {
  const digits = expression.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
