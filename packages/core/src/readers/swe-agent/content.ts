import { asList, asObject, asText } from '../../session/json-values.ts'

/** Text and images of a message: a string, or a list of parts. */
export function contentText(content: unknown): { readonly text: string; readonly images: number } {
  if (typeof content === 'string') return { text: content, images: 0 }
  const texts: string[] = []
  let images = 0
  for (const value of asList(content)) {
    const part = asObject(value)
    if (typeof value === 'string') texts.push(value)
    else if (/image/.test(asText(part?.type) ?? '')) images++
    else if (typeof part?.text === 'string') texts.push(part.text)
    else if (value !== null) texts.push(JSON.stringify(value))
  }
  if (texts.length === 0 && asObject(content) !== undefined) texts.push(JSON.stringify(content))
  return { text: texts.join('\n'), images }
}

/** Texts with which the templates of SWE-agent and mini-SWE-agent continue after the task. */
const templates = [
  '\n\nINSTRUCTIONS:\n',
  '\n\nYou can execute bash commands and edit files to implement the necessary changes.\n',
  '\n\n## Recommended Workflow\n',
]

/** Separates the task from the instructions that a template puts after it. */
export function splitTask(text: string): { readonly task: string; readonly instructions: string } {
  for (const template of templates) {
    const at = text.indexOf(template)
    if (at > 0) return { task: text.slice(0, at).trimEnd(), instructions: text.slice(at).trim() }
  }
  return { task: text, instructions: '' }
}
