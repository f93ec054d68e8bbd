// The part of `Run.conversation()` of `@cursor/sdk` 1.0 that is read (https://cursor.com/docs/sdk/typescript),
// described here so that the SDK is not a dependency. Turns have no ids, no times and no usage; call and result are one
// object.

/** One turn of a run: a prompt with the steps that followed, or a shell command of the user. */
export type ConversationTurn =
  | { readonly type: 'agentConversationTurn'; readonly turn: AgentConversationTurn }
  | { readonly type: 'shellConversationTurn'; readonly turn: ShellConversationTurn }
  /** From a newer SDK: read as far as it resembles one of the others. */
  | { readonly type: string; readonly turn?: unknown }

interface AgentConversationTurn {
  readonly userMessage?: { readonly text: string } | undefined
  readonly steps: readonly ConversationStep[]
}

interface ShellConversationTurn {
  readonly shellCommand?:
    | { readonly command: string; readonly workingDirectory?: string | undefined }
    | undefined
  readonly shellOutput?:
    | { readonly stdout: string; readonly stderr: string; readonly exitCode: number }
    | undefined
}

export type ConversationStep =
  | { readonly type: 'assistantMessage'; readonly message: { readonly text: string } }
  | {
      readonly type: 'thinkingMessage'
      readonly message: { readonly text: string; readonly thinkingDurationMs?: number | undefined }
    }
  | { readonly type: 'toolCall'; readonly message: ConversationToolCall }
  | { readonly type: string; readonly message?: unknown }

/** A tool call with its result, which is missing while the call runs. */
interface ConversationToolCall {
  /** `shell`, `write`, `delete`, `glob`, `grep`, `read`, `edit`, `ls`, `mcp`, `task`, …: any name is accepted. */
  readonly type: string
  readonly args?: unknown
  readonly result?:
    | { readonly status: 'success'; readonly value?: unknown }
    | { readonly status: 'error'; readonly error?: unknown }
    | { readonly status: string }
    | undefined
}
