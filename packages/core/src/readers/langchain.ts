import * as json from '../session/json.ts'
import { messageReader } from './messages/message-reader.ts'
import { usageIn } from './shared/usage.ts'
import { messageTime } from './shared/values.ts'
import type { Writer } from './shared/writer.ts'
import { anyMessage, langChainMessage, writeMessage } from './traces/any-message.ts'

const shapes = { isConversation: (value: unknown) => messagesOf(value) !== undefined, isLine: isMessage }

/**
 * Reads messages of LangChain: a list, lines of them, the state of an agent (`{messages}`), and what a checkpointer of
 * LangGraph keeps of it (`values`, `channel_values`). https://docs.langchain.com/oss/javascript/langchain/messages
 */
export const langChainReader = messageReader({
  name: 'langchain',
  shapes,
  createLog: (writer) => ({
    readLine: (value) => readMessage(writer, value),
    readConversation(value) {
      for (const message of messagesOf(value) ?? []) readMessage(writer, message)
      return json.text(
        json.at(value, 'config', 'configurable') ?? json.at(value, 'configurable'),
        'thread_id',
      )
    },
  }),
})

function isMessage(value: unknown): boolean {
  return langChainMessage(value) !== undefined
}

function messagesOf(value: unknown): readonly unknown[] | undefined {
  const { channel_values, checkpoint, values } = json.fields(value)
  const holders = [value, values, channel_values, json.at(checkpoint, 'channel_values')]
  const lists = [value, ...holders.map((holder) => json.at(holder, 'messages'))].map((each) =>
    json.list(each),
  )
  return lists.find((list) => list.some(isMessage))
}

function readMessage(writer: Writer, value: unknown): void {
  const message = anyMessage(value)
  if (message === undefined) {
    writer.other(value)
    return
  }
  const { fields, parts, role } = message
  const { response_metadata: answer } = fields
  writer.time = messageTime(fields)
  writer.model = json.text(answer, 'model_name') ?? json.text(answer, 'model')
  writeMessage(writer, role, parts)
  const usage = json.object(fields.usage_metadata)
  if (usage !== undefined) writer.answer(fields.id, usageIn(usage, 'langchain'))
}
