import { dirname, join } from 'node:path'
import * as json from '../session/json.ts'
import { byWord } from '../tools/by-word.ts'
import { callArguments } from './messages/conversation.ts'
import type { Reader } from './reader/reader.ts'
import { byKind, readRecords } from './shared/by-kind.ts'
import { usageIn } from './shared/usage.ts'
import { contentParts, numberIn } from './shared/values.ts'
import { createWriter, type Outcome, type Writer } from './shared/writer.ts'

/**
 * Reads sessions of Continue's CLI and extensions, `~/.continue/sessions/<session>.json`: messages, in which those of
 * the model contain its calls with their states. There are no times. Names are those that
 * `extensions/cli/src/session.ts` of continuedev/continue saves (09deed45).
 */
export const continueReader: Reader = {
  name: 'continue',
  framing: 'document',
  detect({ document }) {
    const session = json.object(document)
    if (json.text(session?.sessionId) === undefined) return 0
    const isItem = ({ contextItems, message }: json.Fields): boolean =>
      json.text(message, 'role') !== undefined && Array.isArray(contextItems)
    return json.objects(session?.history).some(isItem) ? 0.95 : 0
  },
  // The list of all sessions.
  companions: (path) => [join(dirname(path), 'sessions.json')],
  async read(documents, out) {
    const writer = createWriter(out)
    await readRecords(documents, writer, (session) => {
      if (!Array.isArray(session.history)) return false
      const { sessionId, title: given, workspaceDirectory } = session
      const title = given === 'Untitled Session' || given === 'New Session' ? undefined : json.text(given)
      out.meta({ id: json.text(sessionId), title, cwd: json.text(workspaceDirectory) })
      for (const [index, value] of session.history.entries()) {
        const item = json.fields(value)
        const message = json.fields(item.message)
        if (!readItem(writer, message.role, { item, message, index })) writer.other(value)
      }
      out.absorb('session without messages')
    })
  },
}

type Item = { readonly item: json.Fields; readonly message: json.Fields; readonly index: number }

const readItem = byKind<Writer, Item>({
  user(writer, { item, message }) {
    const { texts, images, others } = contentParts(message.content)
    for (const value of json.list(item.contextItems)) {
      const { name, content } = json.fields(value)
      if (typeof content === 'string') writer.context('attachment', json.text(name), content)
      else writer.other(value, 'context item')
    }
    writer.ask(texts.join('\n'), { images })
    for (const raw of others) writer.other(raw, 'user part')
  },
  assistant(writer, { item, message, index }) {
    const { texts, others } = contentParts(message.content)
    const text = texts.join('\n')
    writer.model = json.text(message.usage, 'model') ?? writer.model
    writer.usage(`${index}`, usageIn(message.usage, 'chat'))
    if (item.conversationSummary !== undefined)
      return writer.compact(json.text(item.conversationSummary) ?? text)
    writer.say(text)
    for (const raw of others) writer.other(raw, 'assistant part')
    const states = new Map(json.objects(item.toolCallStates).map((state) => [state.toolCallId, state]))
    for (const value of json.list(message.toolCalls)) {
      const { id, function: called } = json.fields(value)
      const name = json.text(called, 'name')
      const state = states.get(id)
      const input = state?.parsedArgs ?? callArguments(json.at(called, 'arguments'))
      const outcome = state && outcomeOf(state)
      if (name === undefined) writer.other(value, 'tool call')
      else writer.call({ id, name, input })
      if (name !== undefined && outcome !== undefined) writer.result(writer.take(id), outcome)
    }
  },
  thinking: (writer, { message }) => void writer.think(contentParts(message.content).texts.join('\n')),
  system: (writer, { message }) =>
    void writer.contextOnce('system', 'system prompt', contentParts(message.content).texts.join('\n')),
  tool: 'result, which the state of its call holds',
})

const statuses = byWord<'ok' | 'error' | 'cancelled'>({ ok: 'done', error: 'errored', cancelled: 'canceled' })

/** Returns `undefined` while the call runs. A command that fails without output looks like a successful one. */
function outcomeOf({ status, output }: json.Fields): Outcome | undefined {
  const ended = statuses.get(json.text(status) ?? '')
  if (ended === undefined) return undefined
  const text = json.texts(json.list(output).map((part) => json.at(part, 'content'))).join('\n')
  const exitCode = numberIn(text, /^Error executing tool [^\n:]*: Error \(exit code (\d{1,9})\)/)
  const isDenied = ended !== 'ok' && /^Permission denied/.test(text)
  return { status: isDenied ? 'denied' : ended, text, exitCode }
}
