import { asList, asObject, asText } from '../../session/json-values.ts'
import { contentText } from './content.ts'

const marks = /^\s*<returncode>-?\d+<\/returncode>\s*<(?:output|warning|output_head)>/

/** Whether a value is a trajectory of mini-SWE-agent: by its format, or by its results in a bare list of messages. */
export function isMini(value: unknown): boolean {
  const object = asObject(value)
  if (asText(object?.trajectory_format)?.startsWith('mini-swe-agent')) return true
  if (asText(asObject(object?.info)?.mini_version) !== undefined) return true
  const messages = asList(object === undefined ? value : object.messages)
    .slice(0, 50)
    .map(asObject)
  return messages.some(
    (message) =>
      (message?.role === 'user' || message?.role === 'tool') && marks.test(contentText(message.content).text),
  )
}
