import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bomb } from './bombs.ts'

/** Options of {@link runBomb}. */
export interface BombOptions {
  /** The program that compresses one log, `bomb-child`. */
  readonly program: string
  /** Folder where the log and its store are written, and deleted afterwards. */
  readonly folder: string
  /** Limit of the process's peak memory. @default 1000 */
  readonly maxMegabytes?: number
  /** Limit of its processor time in seconds. @default 300 */
  readonly maxSeconds?: number
}

/** Cost of a bomb; `fault` says which limit or expectation it broke. */
export interface BombReport {
  readonly line: string
  readonly fault?: string
}

/** Compresses a bomb in a separate process and measures it. */
export async function runBomb(bomb: Bomb, options: BombOptions): Promise<BombReport> {
  const { program, folder, maxMegabytes = 1000, maxSeconds = 300 } = options
  const log = join(folder, bomb.name)
  const store = join(folder, `${bomb.name}.store`)
  await bomb.write(log)
  try {
    // As `tenfold compress` sets it for large logs.
    const args = ['--heap-growing-percent=15', program, log, store]
    const limited = ['-c', `ulimit -t ${maxSeconds}; exec "$@"`, 'sh', process.execPath, ...args]
    const { stdout } = await promisify(execFile)('sh', limited, {
      // A machine that is busy with other things takes longer.
      timeout: 10 * maxSeconds * 1000,
      killSignal: 'SIGKILL',
    })
    const { became, seconds, megabytes } = JSON.parse(stdout)
    const line = `${bomb.name}: ${became}, ${Math.round(megabytes)} MB, ${Number(seconds).toFixed(1)} s`
    if (became !== bomb.becomes) return { line, fault: `${line}; expected ${bomb.becomes}` }
    return megabytes <= maxMegabytes ? { line } : { line, fault: `${line}; at most ${maxMegabytes} MB` }
  } catch (error) {
    const line = `${bomb.name}: ended after ${maxSeconds} s at the latest, without an answer`
    return { line, fault: `${line}: ${String(error).slice(0, 500)}` }
  } finally {
    await rm(log)
    await rm(store, { recursive: true, force: true })
  }
}
