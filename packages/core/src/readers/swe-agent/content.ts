import * as json from '../../session/json.ts'
import { outputText } from '../shared/values.ts'

const templates = [
  '\n\nINSTRUCTIONS:\n',
  '\n\nYou can execute bash commands and edit files to implement the necessary changes.\n',
  '\n\n## Recommended Workflow\n',
]

const openings =
  /^\s*(?:We're currently solving the following issue within our repository\. Here's the issue text:\n(?:ISSUE:\n)?|Please solve this issue:[ \n]|ISSUE:\n)/

/** Newer templates put the task between tags, and instructions around them. */
const tagged =
  /^([\s\S]{0,4000}?)<pr_description>\s*(?:Consider the following PR description:\s*)?([\s\S]+)<\/pr_description>([\s\S]*)$/

export function splitTask(text: string): { readonly task: string; readonly instructions: string } {
  const opening = openings.exec(text)?.[0] ?? ''
  const ends = templates.map((template) => text.indexOf(template)).filter((at) => at > 0)
  const end = ends[0] ?? text.length
  const [, before = opening, task = text.slice(opening.length, end), after = text.slice(end)] =
    tagged.exec(text) ?? []
  if (task.trim() === '') return { task: text, instructions: '' }
  const around = json.texts([before.trim(), after.trim()])
  return { task: task.trim(), instructions: around.join('\n\n') }
}

const marks = /^\s*<returncode>-?\d+<\/returncode>\s*<(?:output|warning|output_head)>/

export function miniScore(value: unknown): number {
  if (json.text(value, 'trajectory_format')?.startsWith('mini-swe-agent')) return 1
  if (json.text(value, 'info', 'mini_version') !== undefined) return 0.95
  const messages = json.objects(json.object(value) === undefined ? value : json.at(value, 'messages'))
  const isResult = ({ content, role }: json.Fields): boolean =>
    (role === 'user' || role === 'tool') && marks.test(outputText(content).text)
  return messages.slice(0, 50).some(isResult) ? 0.9 : 0
}
