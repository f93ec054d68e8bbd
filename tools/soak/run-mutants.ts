import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Options of {@link runMutants}. */
export interface MutantOptions {
  /** The program that tries mutants, `mutant-child`. */
  readonly program: string
  /** Folder of the logs to break. */
  readonly logs: string
  /** Seed of the first mutant; each has its own, the next number. */
  readonly seed: number
  readonly mutants: number
  /** Time limit of a mutant in milliseconds. @default 20,000 */
  readonly timeLimit?: number
}

/** The results of the mutants. Each fault names its seed. */
export interface MutantReport {
  readonly tried: number
  readonly faults: readonly string[]
}

/** Tries mutants in a separate process. A mutant that hangs or ends it is a fault, and the next one continues. */
export async function runMutants(options: MutantOptions): Promise<MutantReport> {
  const { seed, mutants, timeLimit = 20_000 } = options
  const faults: string[] = []
  const end = seed + mutants
  for (let next = seed; next < end; ) {
    const { last, isDone, how } = await runChild({ ...options, timeLimit }, next, end - next, faults)
    if (isDone) break
    faults.push(`${last.text}: ${how}`)
    next = Math.max(last.seed, next) + 1
  }
  return { tried: mutants, faults }
}

async function runChild(
  { program, logs, timeLimit }: MutantOptions & { readonly timeLimit: number },
  first: number,
  count: number,
  faults: string[],
) {
  const child = spawn(process.execPath, [program, logs, String(first), String(count)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let last = { seed: first - 1, text: 'before the first mutant' }
  let isDone = false
  let hung = false
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-2000)
  })
  const watch = (): NodeJS.Timeout =>
    setTimeout(() => {
      hung = true
      child.kill('SIGKILL')
    }, timeLimit)
  let timer = watch()
  const closed = once(child, 'close')
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(timer)
    timer = watch()
    const at = /^at (\d+) /.exec(line)
    if (at !== null) last = { seed: Number(at[1]), text: line.slice(3) }
    else if (line.startsWith('fault ')) faults.push(`${last.text}: ${line.slice('fault '.length)}`)
    else if (line === 'done') isDone = true
  }
  await closed
  clearTimeout(timer)
  const how = hung ? `took more than ${timeLimit} ms` : `ended the process: ${stderr.trim().slice(-500)}`
  return { last, isDone, how }
}
