import * as json from '../session/json.ts'
import { writeUser } from './messages/conversation.ts'
import { isAgentsItem, responseItemTypes } from './messages/family.ts'
import { messageReader } from './messages/message-reader.ts'
import { readItem } from './openai-responses/items.ts'
import { usageIn } from './shared/usage.ts'

/**
 * Reads items of OpenAI's Agents SDK: a `history`, the content of a session, `newItems`, lines of them, and the state
 * of a run (`RunState`). They are items of the Responses API in camel case. https://openai.github.io/openai-agents-js
 */
export const openaiAgentsReader = messageReader({
  name: 'openai-agents',
  places: ['history', 'items', 'newItems'],
  isItem: isAgentsItem,
  isLine(value) {
    const { role, type } = json.fields(value)
    return isAgentsItem(value) || role !== undefined || responseItemTypes.test(json.text(type) ?? '')
  },
  listOf(value) {
    const { generatedItems, originalInput: asked } = json.fields(value)
    const prompt = typeof asked === 'string' ? [{ role: 'user', content: asked }] : json.list(asked)
    return Array.isArray(generatedItems) ? [...prompt, ...generatedItems] : undefined
  },
  createLog: (writer) => ({
    read(value) {
      const raw = json.object(json.at(value, 'rawItem') ?? value)
      if (raw?.role === 'user' && typeof raw.content === 'string') writeUser(writer, [raw.content])
      else if (raw === undefined || !readItem(writer, responseItem(raw))) writer.other(value)
    },
    end({ modelResponses }) {
      for (const { providerData, responseId, usage } of json.objects(modelResponses)) {
        // Details may be in a list.
        const counts = Object.entries(json.fields(usage)).map(([key, value]) => [key, [value].flat()[0]])
        const model = json.at(providerData, 'model')
        writer.answer(responseId, usageIn(Object.fromEntries(counts), 'agents'), model)
      }
    },
  }),
})

function responseItem(item: json.Fields): json.Fields {
  const { callId, name, output, providerData, type } = item
  const isServed = type === 'hosted_tool_call'
  const runs = json.list(output).map((run) => {
    const outcome = json.object(run, 'outcome')
    return outcome ? { ...json.fields(run), outcome: { ...outcome, exit_code: outcome.exitCode } } : run
  })
  return {
    ...item,
    ...(Array.isArray(output) && { output: runs }),
    type: json.text(type)?.replace(/^(function|computer)_call_result$/, '$1_call_output') ?? type,
    ...(callId !== undefined && { call_id: callId }),
    ...(isServed && { ...json.object(providerData), type: json.text(providerData, 'type') ?? name }),
  }
}
