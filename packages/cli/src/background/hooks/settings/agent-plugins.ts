import type { HookAgent } from '../hook-agents.ts'
import { guardedCommand, hookLimit, type Launcher, windowsCommand } from './guarded-command.ts'

/** For OpenCode, https://opencode.ai/docs/plugins: adds a brief to the first message, reports turns and sub-agents. */
export function openCodePlugin(tell: string, mark: string): string {
  return `// ${mark}
${tell}
const TenfoldPlugin = async ({ directory, client }) => {
  /** Sessions that have no message yet, and those that a sub-agent runs in. */
  const fresh = new Set()
  const children = new Set()
  /** Sessions of which this process told that they begin or go on. */
  const told = new Set()
  const named = (session) => ({ session_id: session, cwd: directory })
  return {
    event: async ({ event }) => {
      const { info, sessionID } = event.properties ?? {}
      if (event.type === 'session.created' && info?.id !== undefined) (info.parentID ? children : fresh).add(info.id)
      if (event.type === 'session.idle' && sessionID !== undefined && !children.has(sessionID))
        await tell({ hook_event_name: 'Stop', ...named(sessionID) })
    },
    'chat.message': async ({ sessionID }, output) => {
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
    'tool.execute.before': async (input, output) => {
      if (input.tool !== 'task') return
      const call = { tool_name: input.tool, tool_input: output.args }
      await tell({ hook_event_name: 'PreToolUse', ...call, ...named(input.sessionID) })
    },
  }
}
`
}

/** The start of a plugin, valid as TypeScript and JavaScript. No failure of tenfold reaches the agent as an error. */
export function pluginTell(launcher: Launcher, agent: HookAgent, limit = hookLimit): string {
  const args = ['hook', agent]
  const commands = [windowsCommand(launcher, args), guardedCommand(launcher, args, limit)]
  const [windows, posix] = commands.map((command) => JSON.stringify(command))
  return `import { spawn } from 'node:child_process'

const windows = ${windows}
const posix = ${posix}

/** Gives an event to tenfold, and returns what it answers. */
function tell(event) {
  return new Promise((done) => {
    const timer = setTimeout(() => done({}), ${(limit + 1) * 1000})
    const command = process.platform === 'win32' ? windows : posix
    const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
    const pieces = []
    child.stdout.on('data', (piece) => pieces.push(piece))
    child.stdin.on('error', () => undefined)
    child.on('error', () => undefined)
    child.on('close', () => {
      clearTimeout(timer)
      try {
        const { context, notice } = JSON.parse(Buffer.concat(pieces).toString('utf8'))
        done({ ...(typeof context === 'string' && { context }), ...(typeof notice === 'string' && { notice }) })
      } catch {
        done({})
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}
`
}

/** For pi: gives a new session the brief before its first request, and reports the session's end. */
export function piExtension(tell: string, mark: string): string {
  return `// ${mark}
${tell}
export default function tenfold(pi) {
  /** The session has no message yet. */
  let fresh = false
  const named = (ctx) => ({
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

/** For Cline, https://docs.cline.bot/sdk/plugins. A plugin, since Cline does not wait for its hook at task start. */
export function clinePlugin(tell: string, mark: string): string {
  return `// ${mark}
${tell}
let session
let cwd = process.cwd()

export default {
  name: 'tenfold',
  manifest: { capabilities: ['hooks'] },
  setup(_api, context) {
    session = context.session?.sessionId
    cwd = context.workspaceInfo?.rootPath ?? cwd
  },
  hooks: {
    async beforeRun({ snapshot }) {
      if (snapshot.parentAgentId || (snapshot.messages?.length ?? 0) > 1) return
      const start = { hook_event_name: 'SessionStart', source: 'startup', session_id: session, cwd }
      const { context } = await tell(start)
      return context === undefined ? undefined : { appendContext: context }
    },
    async afterRun({ snapshot }) {
      if (!snapshot.parentAgentId) await tell({ hook_event_name: 'SessionEnd', session_id: session, cwd })
    },
  },
}
`
}
