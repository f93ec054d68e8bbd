import * as json from '../session/json.ts'
import { messageReader } from './messages/message-reader.ts'
import { usageIn } from './shared/usage.ts'
import { messageTime } from './shared/values.ts'
import { anyMessage, langChainMessage, writeMessage } from './traces/any-message.ts'

/**
 * Reads messages of LangChain: a list, lines of them, the state of an agent (`{messages}`), and its copies by a
 * LangGraph checkpointer (`values`, `channel_values`). https://docs.langchain.com/oss/javascript/langchain/messages
 */
export const langChainReader = messageReader({
  name: 'langchain',
  places: ['messages', 'values.messages', 'channel_values.messages', 'checkpoint.channel_values.messages'],
  isItem: (value) => langChainMessage(value) !== undefined,
  idOf: ({ config, configurable = json.at(config, 'configurable') }) => json.text(configurable, 'thread_id'),
  createLog: (writer) => ({
    read(value) {
      const message = anyMessage(value)
      if (message === undefined) return writer.other(value)
      const { fields, parts, role } = message
      const { response_metadata: answer, usage_metadata: usage } = fields
      writer.time = messageTime(fields)
      writer.model = json.text(answer, 'model_name') ?? json.text(answer, 'model')
      writeMessage(writer, role, parts)
      if (json.object(usage) !== undefined) writer.answer(fields.id, usageIn(usage, 'langchain'))
    },
  }),
})
