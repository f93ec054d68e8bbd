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

/** Texts with which they begin. */
const openings =
  /^\s*(?:We're currently solving the following issue within our repository\. Here's the issue text:\n(?:ISSUE:\n)?|Please solve this issue:[ \n]|ISSUE:\n)/

/** Newer templates put the task between tags, and what they say about it around them. */
const tagged =
  /^([\s\S]{0,4000}?)<pr_description>\s*(?:Consider the following PR description:\s*)?([\s\S]+)<\/pr_description>([\s\S]*)$/

/** Separates the task from what a template puts before and after it. */
export function splitTask(text: string): { readonly task: string; readonly instructions: string } {
  const { task, around } = partsOf(text)
  if (task.trim() === '') return { task: text, instructions: '' }
  const instructions = around.map((part) => part.trim()).filter((part) => part !== '')
  return { task: task.trim(), instructions: instructions.join('\n\n') }
}

function partsOf(text: string): { readonly task: string; readonly around: readonly string[] } {
  const [, before, inside, after] = tagged.exec(text) ?? []
  if (inside !== undefined) return { task: inside, around: [before ?? '', after ?? ''] }
  const opening = openings.exec(text)?.[0] ?? ''
  const ends = templates.map((template) => text.indexOf(template)).filter((at) => at > 0)
  const end = ends[0] ?? text.length
  return { task: text.slice(opening.length, end), around: [opening, text.slice(end)] }
}
