/**
 * Returns the plugin for Cline, https://docs.cline.bot/sdk/plugins: it gives a new session the brief before its first
 * request, and reports the end of each run. Hook files cannot: the one at the start of a task is not waited for.
 */
export function clinePlugin(tell: string, mark: string): string {
  return `// ${mark}
${tell}
type Snapshot = { parentAgentId?: string | null; messages?: readonly unknown[] }
type Setup = { session?: { sessionId?: string }; workspaceInfo?: { rootPath?: string } }

let session: string | undefined
let cwd = process.cwd()

export default {
  name: 'tenfold',
  manifest: { capabilities: ['hooks'] },
  setup(_api: unknown, context: Setup) {
    session = context.session?.sessionId
    cwd = context.workspaceInfo?.rootPath ?? cwd
  },
  hooks: {
    async beforeRun({ snapshot }: { snapshot: Snapshot }) {
      if (snapshot.parentAgentId || (snapshot.messages?.length ?? 0) > 1) return
      const start = { hook_event_name: 'SessionStart', source: 'startup', session_id: session, cwd }
      const { context } = await tell(start)
      return context === undefined ? undefined : { appendContext: context }
    },
    async afterRun({ snapshot }: { snapshot: Snapshot }) {
      if (!snapshot.parentAgentId) await tell({ hook_event_name: 'SessionEnd', session_id: session, cwd })
    },
  },
}
`
}
