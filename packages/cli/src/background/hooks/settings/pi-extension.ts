/**
 * Returns the extension for pi: it gives a new session the brief before its first request, reports the end of the
 * session, and offers the tools of tenfold's MCP server, since pi itself knows no MCP.
 */
export function piExtension(command: string, mark: string): string {
  return `// ${mark}
import { spawn, spawnSync } from 'node:child_process'

const command = ${JSON.stringify(command)}
const longestStart = 60_000

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

interface Answer {
  id?: number
  result?: unknown
  error?: { message: string }
}

/** Starts tenfold's MCP server: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#stdio */
function startServer(cwd: string) {
  const child = spawn(command + ' mcp', { cwd, shell: true, stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map<number, (answer: Answer) => void>()
  let ended = false
  let last = 0
  let rest = ''
  const send = (message: object) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
  const fail = () => {
    ended = true
    for (const answer of waiting.values()) answer({ error: { message: 'tenfold mcp ended' } })
  }
  child.stdin.on('error', () => undefined)
  child.on('error', fail)
  child.on('close', fail)
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const answer: Answer = parsed(line)
      waiting.get(answer.id ?? 0)?.(answer)
    }
  })
  return {
    async call<T>(method: string, params: object, signal?: AbortSignal): Promise<T> {
      if (ended) throw new Error('tenfold mcp ended')
      const id = ++last
      const cancel = () => {
        send({ method: 'notifications/cancelled', params: { requestId: id } })
        waiting.get(id)?.({ error: { message: 'cancelled' } })
      }
      const answered = new Promise<Answer>((done) => waiting.set(id, done))
      send({ id, method, params })
      signal?.addEventListener('abort', cancel, { once: true })
      const { result, error } = await answered
      signal?.removeEventListener('abort', cancel)
      waiting.delete(id)
      if (error !== undefined) throw new Error(error.message)
      return result as T
    },
    tell: (method: string) => send({ method }),
    close: () => child.stdin.end(),
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

interface Listed {
  tools: { name: string; title?: string; description: string; inputSchema: object }[]
}

interface Called {
  content: { type: 'text'; text: string }[]
  isError?: boolean
}

interface Pi {
  on(event: string, handler: (event: unknown, context: Context) => unknown): void
  registerTool(tool: {
    name: string
    label: string
    description: string
    promptSnippet: string
    parameters: object
    execute(id: string, input: object, signal?: AbortSignal): Promise<object>
  }): void
}

export default function tenfold(pi: Pi) {
  /** The session has no message yet. */
  let fresh = false
  let server: ReturnType<typeof startServer> | undefined
  let registered = Promise.resolve()
  const named = (ctx: Context) => ({
    session_id: ctx.sessionManager.getSessionId(),
    transcript_path: ctx.sessionManager.getSessionFile() ?? '',
    cwd: ctx.cwd,
  })
  /** Without the server the session goes on without the tools. */
  const registerTools = async ({ call, tell }: ReturnType<typeof startServer>) => {
    const clientInfo = { name: 'pi', version: '1' }
    await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    tell('notifications/initialized')
    const { tools } = await call<Listed>('tools/list', {})
    for (const { name, title = name, description, inputSchema } of tools)
      pi.registerTool({
        name: 'tenfold_' + name,
        label: title,
        description,
        promptSnippet: title,
        parameters: inputSchema,
        execute: async (_id, input, signal) => {
          const { content, isError } = await call<Called>('tools/call', { name, arguments: input }, signal)
          if (isError) throw new Error(content.map(({ text }) => text).join('\\n'))
          return { content, details: undefined }
        },
      })
  }
  pi.on('session_start', (_event, ctx) => {
    const entries = ctx.sessionManager.getEntries()
    fresh = !entries.some(({ type }) => type === 'message')
    server?.close()
    server = startServer(ctx.cwd)
    registered = registerTools(server).catch(() => undefined)
  })
  pi.on('before_agent_start', async (_event, ctx) => {
    const begins = fresh
    fresh = false
    const start = { hook_event_name: 'SessionStart', source: 'startup', ...named(ctx) }
    const { context } = begins ? tell(start) : {}
    const wait = new Promise((done) => setTimeout(done, longestStart).unref())
    await Promise.race([registered, wait])
    registered = Promise.resolve()
    if (context === undefined) return
    return { message: { customType: 'tenfold', content: context, display: false } }
  })
  pi.on('session_shutdown', (_event, ctx) => {
    server?.close()
    tell({ hook_event_name: 'SessionEnd', ...named(ctx) })
  })
}
`
}
