import { type BaseMessage, RemoveMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph'
import { createMiddleware } from 'langchain'
import type { CompactWhenOptions } from './compact-when.ts'
import { compactAbove } from './compact-when.ts'
import {
  type RecallToolOptions,
  recallDescription,
  recallName,
  recallParameters,
  recallText,
} from './recall.ts'

/**
 * Returns a middleware for `createAgent` that keeps a thread's messages below a size, like LangChain's
 * summarizationMiddleware: the state then has the brief and the last messages. With a store, agents get the tool
 * `recall`.
 */
export function tenfoldMiddleware(options: CompactWhenOptions) {
  const { store, track } = options
  return createMiddleware({
    name: 'TenfoldMiddleware',
    ...(store !== undefined && { tools: [recallTool({ store, track })] }),
    beforeModel: compactNode(options),
  })
}

/**
 * Returns a node for a LangGraph graph whose state has `messages`. Run it before the node that calls the model: it
 * replaces the older messages in the state, which the graph's own checkpointer then saves.
 */
export function compactNode(options: CompactWhenOptions) {
  const above = compactAbove(options)
  return async ({ messages }: { readonly messages: BaseMessage[] }) => {
    const { replaced, messages: shorter } = await above(messages)
    if (replaced === 0) return undefined
    return { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...shorter] }
  }
}

/** Returns the tool `recall`. */
export function recallTool(options: RecallToolOptions) {
  return tool(({ query }: { query: string }) => recallText(options, query), {
    name: recallName,
    description: recallDescription,
    schema: recallParameters,
  })
}
