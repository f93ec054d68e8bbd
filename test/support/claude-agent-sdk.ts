// What the document of @tenfold/integrations uses of @anthropic-ai/claude-agent-sdk 0.3, which comes with a program of
// 200 MB: a session that asks the tool `recall` once and then answers, with the hooks at their places.
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import type { z } from 'zod'

interface HookInput {
  readonly hook_event_name: string
  readonly session_id: string
  readonly transcript_path: string
  readonly cwd: string
}

interface HookOutput {
  // One of each event, told apart by its name.
  readonly hookSpecificOutput?: {
    readonly hookEventName: 'UserPromptSubmit'
    readonly additionalContext?: string
  }
}
type Hook = (
  input: HookInput,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookOutput>
type Hooks = Partial<Record<string, { readonly matcher?: string; readonly hooks: Hook[] }[]>>

interface Tool {
  readonly name: string
  call(input: unknown): Promise<{ readonly content: readonly { readonly text: string }[] }>
}

/** As that of the SDK: the fourth argument gets what the schema of the third allows. */
export function tool<Schema extends z.ZodRawShape>(
  name: string,
  description: string,
  _schema: Schema,
  call: (input: z.infer<z.ZodObject<Schema>>) => ReturnType<Tool['call']>,
): Tool {
  assert(description.length > 0)
  return { name, call: (input) => call(input as z.infer<z.ZodObject<Schema>>) }
}

export function createSdkMcpServer(server: { readonly name: string; readonly tools: readonly Tool[] }) {
  return server
}

interface QueryOptions {
  readonly hooks?: Hooks
  readonly mcpServers?: Readonly<Record<string, ReturnType<typeof createSdkMcpServer>>>
  readonly allowedTools?: readonly string[]
}

export async function* query({ options = {} }: { readonly prompt: string; readonly options?: QueryOptions }) {
  const { hooks = {}, mcpServers = {}, allowedTools = [] } = options
  const [[server, { tools }] = assert.fail('no server of tools')] = Object.entries(mcpServers)
  const [recall = assert.fail('no tool')] = tools
  const name = `mcp__${server}__${recall.name}`
  assert(allowedTools.includes(name))

  async function fire(event: string, toolName = ''): Promise<void> {
    const input = {
      hook_event_name: event,
      session_id: 'of-the-document',
      transcript_path: resolve('examples/logs/claude-code-small.jsonl'),
      cwd: process.cwd(),
    }
    for (const { matcher = '', hooks: each } of hooks[event] ?? assert.fail(`no hook at ${event}`))
      if (new RegExp(`^(?:${matcher || '.*'})$`).test(toolName))
        for (const hook of each) await hook(input, undefined, { signal: new AbortController().signal })
  }

  await fire('UserPromptSubmit')
  yield { type: 'system' }
  await fire('PreToolUse', name)
  const { content } = await recall.call({ query: 'prune-backups.sh' })
  assert.match(content[0]?.text ?? '', /Quoted from the log/)
  yield { type: 'assistant' }
  await fire('Stop')
  yield { type: 'result' }
}
