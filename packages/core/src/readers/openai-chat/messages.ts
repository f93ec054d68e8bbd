import * as json from '../../session/json.ts'
import { callArguments, keepOthers, writeGiven, writeOutput } from '../messages/conversation.ts'
import { byKind } from '../shared/by-kind.ts'
import { splitElements } from '../shared/program-blocks.ts'
import { contentParts, messageTime } from '../shared/values.ts'
import type { Writer } from '../shared/writer.ts'

export function isChatMessage(value: unknown): boolean {
  return /^(?:system|developer|user|assistant|tool|function)$/.test(json.text(value, 'role') ?? '')
}

export function readChatMessage(writer: Writer, message: json.Fields): boolean {
  writer.time = messageTime(message)
  return readRole(writer, message.role, message)
}

const readRole = byKind<Writer>({
  'tool function': (writer, { content, name, tool_call_id: id }) =>
    writeOutput(writer, { id, name }, content),
  'system developer': (writer, { content }) => writeGiven(writer, 'system', content),
  user(writer, { content }) {
    // A result, if the model wrote its call as text.
    const result = writer.open.size === 0 ? null : results.exec(contentParts(content).texts.join('\n'))
    if (result === null) writeGiven(writer, 'user', content)
    else {
      const [mark, name] = result
      const call = writer.peek(undefined, name) ?? writer.peek(undefined)
      const { texts, images } = contentParts(content)
      const text = texts.join('\n').slice(mark.length)
      const parts = [text, ...Array.from({ length: images }, () => ({ type: 'image' }))]
      writeOutput(writer, { id: undefined, name: call?.name }, images > 0 ? parts : text)
    }
  },
  assistant(writer, message) {
    const { audio, content, function_call, refusal, tool_calls } = message
    const { texts, others } = contentParts(content)
    // Names of reasoning fields by server: DeepSeek and Qwen, OpenRouter.
    const details = json
      .objects(message.reasoning_details)
      .map(({ summary, text }) => json.text(text) ?? summary)
    const [thought] = json.texts([message.reasoning_content, message.reasoning])
    writer.think(thought ?? json.texts(details).join('\n'))
    const text = json.texts([...texts, refusal, json.at(audio, 'transcript')]).join('\n')
    // Models without a tool API write calls as text, in the form of SWE-smith and OpenHands:
    // `<function=bash><parameter=command>ls</parameter></function>`. An incomplete one keeps its text so far.
    const { elements: written, rest } = splitElements(text, opening, {
      end: '</function>',
      isOpen: () => true,
    })
    for (const { before, inside, name } of written) {
      if (before.trim() !== '') writer.say(before.trim())
      writer.call({ name, input: parametersOf(inside) })
    }
    const words = written.length === 0 ? rest : rest.trim()
    if (written.length === 0 || words !== '') writer.say(words)
    const old = json.object(function_call) === undefined ? [] : [{ function: function_call }]
    for (const call of [...json.list(tool_calls), ...old]) {
      // Custom tools take raw text instead of arguments.
      const tool = json.fields(json.at(call, 'function') ?? json.at(call, 'custom'))
      const name = json.text(tool.name)
      if (name === undefined) writer.other(call, 'tool_call')
      else writer.call({ id: json.at(call, 'id'), name, input: callArguments(tool.arguments ?? tool.input) })
    }
    keepOthers(writer, others)
    writer.out.absorb('empty message')
  },
})

const opening = /^[ \t]*<function=([\w.-]{1,80})>/gm

/** A value ends before the next parameter, since a file's content may contain the end tag. */
function parametersOf(body: string): Record<string, string> {
  const starts = [...body.matchAll(/^[ \t]*<parameter=([\w.-]{1,80})>\n?/gm)]
  return Object.fromEntries(
    starts.map(({ 0: tag, 1: name = '', index }, number) => {
      const rest = body.slice(index + tag.length, starts[number + 1]?.index ?? body.length)
      const end = rest.lastIndexOf('</parameter>')
      return [name, (end === -1 ? rest : rest.slice(0, end)).replace(/\n$/, '')]
    }),
  )
}

/** Beginning of the result of such a call, which is under the user's name. */
const results = /^(?:OBSERVATION:|EXECUTION RESULT of \[([\w.-]{1,80})\]:)[ \t]*\n?/

export function hasXmlCalls(texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text !== undefined && /^[ \t]*<function=[\w.-]{1,80}>/m.test(text))
}
