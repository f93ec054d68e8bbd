/** Returns the extension for pi: it gives a new session the brief before its first request, and reports its end. */
export function piExtension(tell: string, mark: string): string {
  return `// ${mark}
${tell}
interface Context {
  cwd: string
  hasUI?: boolean
  ui?: { notify?(message: string, type: 'info'): void }
  sessionManager: {
    getSessionId(): string
    getSessionFile(): string | undefined
    getEntries(): { type: string }[]
  }
}

interface Pi {
  on(event: string, handler: (event: unknown, context: Context) => unknown): void
}

export default function tenfold(pi: Pi) {
  /** The session has no message yet. */
  let fresh = false
  const named = (ctx: Context) => ({
    session_id: ctx.sessionManager.getSessionId(),
    transcript_path: ctx.sessionManager.getSessionFile() ?? '',
    cwd: ctx.cwd,
  })
  pi.on('session_start', (_event, ctx) => {
    const entries = ctx.sessionManager.getEntries()
    fresh = !entries.some(({ type }) => type === 'message')
  })
  pi.on('before_agent_start', async (_event, ctx) => {
    if (!fresh) return
    fresh = false
    const start = { hook_event_name: 'SessionStart', source: 'startup', ...named(ctx) }
    const { context, notice } = await tell(start)
    if (notice && ctx.hasUI) ctx.ui?.notify?.(notice, 'info')
    if (context === undefined) return
    return { message: { customType: 'tenfold', content: context, display: false } }
  })
  pi.on('session_shutdown', async (_event, ctx) => {
    await tell({ hook_event_name: 'SessionEnd', ...named(ctx) })
  })
}
`
}
