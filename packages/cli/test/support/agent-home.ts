import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach } from 'vitest'
import { testFolder } from '../../../../test/support/test-folder.ts'
import { linesOf, type Ran, type RunOptions, run, runAlone } from './run.ts'

/** A user's home with a project, and the state of tenfold, in a folder of its own. */
export interface AgentHome {
  readonly project: string
  readonly state: string
  at(...parts: string[]): string
  /** Writes a file in the home, and creates its folders. */
  write(path: string, text: string): string
  tenfold(
    args: readonly string[],
    options?: { cwd?: string; env?: Record<string, string>; stdin?: string },
  ): Promise<Ran>
  /** Gives a hook its JSON, with the project as its working folder; the worker stays off unless requested. */
  hook(agent: string, input: unknown, env?: Record<string, string>): Promise<Ran>
  /** The same in a process of its own, as an agent starts it. */
  hookAlone(agent: string, input: unknown, env?: Record<string, string>): Promise<Ran>
  /** Lines of the hooks' log about what they did, without those that only say that one began. */
  told(): Record<string, unknown>[]
  /** Jobs in the queue. */
  queue(): Record<string, unknown>[]
  /** Ids of the bundles of a store. */
  bundles(store?: string): string[]
  /** Waits for what processes do; fails with what the hooks did if it does not come. */
  until(what: () => boolean): Promise<void>
}

/** A new home for each test of a file. */
export function testHome(): AgentHome {
  const at = testFolder('each')
  const project = (): string => at('shop')
  beforeEach(() => mkdirSync(project()))
  const environment = () => ({ HOME: at(), TENFOLD_HOME: at('state') })
  const tenfold: AgentHome['tenfold'] = async (args, { env = {}, ...rest } = {}) =>
    await run(args, { cwd: project(), env: { ...environment(), ...env }, ...rest })
  const hookOptions = (input: unknown, env: Record<string, string> = {}): RunOptions => {
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    const payload = isObject ? { cwd: project(), ...input } : input
    const stdin = typeof payload === 'string' ? payload : JSON.stringify(payload)
    return { cwd: project(), env: { ...environment(), TENFOLD_HOOK_WORKER: 'off', ...env }, stdin }
  }
  return {
    get project() {
      return project()
    },
    get state() {
      return at('state')
    },
    at,
    tenfold,
    write(path, text) {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text)
      return at(path)
    },
    hook: (agent, input, env) => run(['hook', agent], hookOptions(input, env)),
    hookAlone: (agent, input, env) => runAlone(['hook', agent], hookOptions(input, env)),
    told: () => linesOfFile(at('state/hooks.log')).filter(({ began }) => began !== true),
    queue: () =>
      filesIn(at('state/queue')).map((name) => JSON.parse(readFileSync(at('state/queue', name), 'utf8'))),
    bundles: (store = at('shop/.agents/bundles')) =>
      filesIn(join(store, 'bundles'))
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.replace('.json', '')),
    async until(what) {
      const end = Date.now() + 150_000
      while (!what()) {
        if (Date.now() > end)
          throw new Error(
            `${what} did not come: ${JSON.stringify(linesOfFile(at('state/hooks.log')), null, 1)}`,
          )
        await new Promise((done) => setTimeout(done, 20))
      }
    },
  }
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

/** The objects of a file of JSON lines; empty if there is no file. */
function linesOfFile(path: string): Record<string, unknown>[] {
  return existsSync(path) ? linesOf({ stdout: readFileSync(path, 'utf8') }) : []
}
