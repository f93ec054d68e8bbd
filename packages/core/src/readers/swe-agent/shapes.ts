import * as json from '../../session/json.ts'
import { contentText } from './content.ts'

const marks = /^\s*<returncode>-?\d+<\/returncode>\s*<(?:output|warning|output_head)>/

/** Scores a trajectory of mini-SWE-agent by its format, or by its results in a list of messages, bare or not. */
export function miniScore(value: unknown): number {
  if (json.text(value, 'trajectory_format')?.startsWith('mini-swe-agent')) return 1
  if (json.text(value, 'info', 'mini_version') !== undefined) return 0.95
  const messages = json
    .list(json.object(value) === undefined ? value : json.at(value, 'messages'))
    .slice(0, 50)
  const isResult = (message: unknown): boolean =>
    /^(?:user|tool)$/.test(json.text(message, 'role') ?? '') &&
    marks.test(contentText(json.at(message, 'content')).text)
  return messages.some(isResult) ? 0.9 : 0
}
