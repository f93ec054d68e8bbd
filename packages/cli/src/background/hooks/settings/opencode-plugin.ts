/**
 * Returns the plugin for OpenCode, https://opencode.ai/docs/plugins. It gives the first message of a session the brief,
 * and reports the end of each turn and the start of each sub-agent.
 */
export function openCodePlugin(tell: string, mark: string): string {
  return `// ${mark}
${tell}
type Fields = Record<string, unknown>
type Properties = { info?: { id?: string; parentID?: string }; sessionID?: string }

type Toast = { body: { message: string; variant: 'info' } }
type Client = { tui?: { showToast?(toast: Toast): Promise<unknown> } }

export const TenfoldPlugin = async ({ directory, client }: { directory: string; client?: Client }) => {
  /** Sessions that have no message yet, and those that a sub-agent runs in. */
  const fresh = new Set<string>()
  const children = new Set<string>()
  /** Sessions of which this process told that they begin or go on. */
  const told = new Set<string>()
  const named = (session: string) => ({ session_id: session, cwd: directory })
  return {
    event: async ({ event }: { event: { type: string; properties?: Properties } }) => {
      const { info, sessionID } = event.properties ?? {}
      if (event.type === 'session.created' && info?.id !== undefined) (info.parentID ? children : fresh).add(info.id)
      if (event.type === 'session.idle' && sessionID !== undefined && !children.has(sessionID))
        await tell({ hook_event_name: 'Stop', ...named(sessionID) })
    },
    'chat.message': async (input: { sessionID: string }, output: { parts: Fields[] }) => {
      const { sessionID } = input
      const [first] = output.parts
      const isNew = fresh.delete(sessionID)
      if (first === undefined || children.has(sessionID) || (told.has(sessionID) && !isNew)) return
      told.add(sessionID)
      const source = isNew ? 'startup' : 'resume'
      const start = { hook_event_name: 'SessionStart', source, ...named(sessionID) }
      const { context, notice } = await tell(start)
      // Without a screen there is nobody to tell.
      if (notice) client?.tui?.showToast?.({ body: { message: notice, variant: 'info' } }).catch(() => undefined)
      if (context === undefined) return
      const part = { id: String(first.id) + '0', sessionID, messageID: first.messageID, type: 'text', text: context }
      output.parts.push({ ...part, synthetic: true })
    },
    'tool.execute.before': async (input: { tool: string; sessionID: string }, output: { args: Fields }) => {
      if (input.tool !== 'task') return
      const call = { tool_name: input.tool, tool_input: output.args }
      await tell({ hook_event_name: 'PreToolUse', ...call, ...named(input.sessionID) })
    },
  }
}
`
}
