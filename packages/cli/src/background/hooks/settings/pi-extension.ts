/** Returns the extension for pi: it gives a new session the brief before its first request, and reports its end. */
export function piExtension(command: string, mark: string): string {
  return `// ${mark}
import { spawnSync } from 'node:child_process'

const command = ${JSON.stringify(command)}

/** Gives an event to tenfold, and returns what it answers. A failure must not stop the agent. */
function tell(event: Record<string, unknown>): { context?: string } {
  const options = { shell: true, input: JSON.stringify(event), encoding: 'utf8', timeout: 60_000 } as const
  return parsed(spawnSync(command + ' hook pi', options).stdout)
}

function parsed(text: string): object {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

interface Context {
  cwd: string
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
  pi.on('before_agent_start', (_event, ctx) => {
    if (!fresh) return
    fresh = false
    const { context } = tell({ hook_event_name: 'SessionStart', source: 'startup', ...named(ctx) })
    if (context === undefined) return
    return { message: { customType: 'tenfold', content: context, display: false } }
  })
  pi.on('session_shutdown', (_event, ctx) => {
    tell({ hook_event_name: 'SessionEnd', ...named(ctx) })
  })
}
`
}
