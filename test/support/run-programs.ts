import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

interface ProgramOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** A process that runs programs, one after the other. */
export interface ProgramRunner {
  /** Imports a program and returns what it printed. Rejects with what it throws. */
  run(program: string, options: ProgramOptions): Promise<{ stdout: string; stderr: string }>
  /** Resolves when the process has ended by itself, which a program prevents that left something open. */
  close(): Promise<void>
}

/** Far more than an idle process needs to end. */
const maxClosingMs = 60_000

export function startProgramRunner(): ProgramRunner {
  const child = fork(join(import.meta.dirname, 'program-runner.js'))
  const ended = once(child, 'exit')
  return {
    async run(program, options) {
      child.send({ program, ...options })
      const early = ended.then(([code, signal]) => {
        throw new Error(`the process ended with ${code ?? signal} during ${program}`)
      })
      const [answer] = await Promise.race([once(child, 'message'), early])
      if (answer.failure !== undefined) throw new Error(`${program} failed: ${answer.failure}`)
      return answer
    },
    async close() {
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill(), maxClosingMs)
      const [code, signal] = await ended
      clearTimeout(timer)
      if (signal !== null) throw new Error('a program failed or left something open: the process did not end')
      if (code !== 0) throw new Error(`the process of the programs ended with ${code}`)
    },
  }
}
