import { type CompactWhenOptions, compactWhen } from './compact-when.ts'
import {
  type RecallToolOptions,
  recallDescription,
  recallName,
  recallParameters,
  recallText,
} from './recall.ts'

/** The part of the OpenAI Agents SDK's `Session` that is used. */
export interface AgentSession<Item extends object> {
  /** Its id. */
  getSessionId(): Promise<string>
  /** The last `limit` items, all without a limit, in order. */
  getItems(limit?: number): Promise<Item[]>
  /** Adds items at the end. */
  addItems(items: Item[]): Promise<void>
  /** Removes the last item and returns it. */
  popItem(): Promise<Item | undefined>
  /** Removes all items. */
  clearSession(): Promise<void>
}

/** The session that keeps every item, and when the history is compacted. */
export interface CompactSessionOptions<Item extends object> extends CompactWhenOptions {
  /** The session that keeps every item, as it would without Tenfold. */
  readonly inner: AgentSession<Item>
}

/**
 * Returns a session for `run(agent, input, { session })` whose history stays below a size: it returns the brief and the
 * last items, while `inner` keeps all items. See {@link compactWhen}.
 */
export function compactSession<Item extends object>({
  inner,
  ...options
}: CompactSessionOptions<Item>): AgentSession<Item> {
  const keepSmall = compactWhen(options)
  return {
    getSessionId: () => inner.getSessionId(),
    addItems: (items) => inner.addItems(items),
    popItem: () => inner.popItem(),
    clearSession: () => inner.clearSession(),
    async getItems(limit) {
      const items = await keepSmall(await inner.getItems())
      return limit === undefined ? [...items] : items.slice(-limit)
    },
  }
}

/** Returns a `callModelInputFilter` that keeps a long run below a size: a run reads its session only at the start. */
export function compactInput(
  options: CompactWhenOptions,
): <Input extends { readonly input: object[] }>(call: { readonly modelData: Input }) => Promise<Input> {
  const keepSmall = compactWhen(options)
  return async ({ modelData }) => ({ ...modelData, input: [...(await keepSmall(modelData.input))] })
}

/** Returns the argument of the OpenAI Agents SDK's `tool()` for the tool `recall`. */
export function recallTool(options: RecallToolOptions) {
  return {
    name: recallName,
    description: recallDescription,
    parameters: recallParameters,
    execute: ({ query }: { query: string }) => recallText(options, query),
  }
}
