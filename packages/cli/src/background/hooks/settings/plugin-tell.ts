import type { HookAgent } from '../hook-agents.ts'
import { guardedCommand, hookLimit, type Launcher, windowsCommand } from './guarded-command.ts'

/** The beginning of a plugin: how it gives an event to tenfold. Nothing that tenfold does reaches the agent as an error. */
export function pluginTell(launcher: Launcher, agent: HookAgent, limit = hookLimit): string {
  const args = ['hook', agent]
  const commands = [windowsCommand(launcher, args), guardedCommand(launcher, args, limit)]
  const [windows, posix] = commands.map((command) => JSON.stringify(command))
  return `import { spawn } from 'node:child_process'

const windows = ${windows}
const posix = ${posix}

/** Gives an event to tenfold, and returns what it answers. */
function tell(event: Record<string, unknown>): Promise<{ context?: string; notice?: string }> {
  return new Promise((done) => {
    const timer = setTimeout(() => done({}), ${(limit + 1) * 1000})
    const command = process.platform === 'win32' ? windows : posix
    const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
    const pieces: Uint8Array[] = []
    child.stdout.on('data', (piece: Uint8Array) => pieces.push(piece))
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
