import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** A Redis of this test alone, on a socket of its own. */
export interface RedisServer {
  readonly socket: string
  /** Kills it with -9 and starts it again on what its append-only file holds. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** How to get the program on Debian and Ubuntu. */
export const installRedis = 'apt-get install redis-server'

/** Whether there is a redis-server to start. */
export function hasRedis(): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'redis-server')))
}

/** Starts redis-server, in memory unless `durable` is set. Throws with its output if it does not come up. */
export async function startRedis({ durable = false } = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tenfold-redis-'))
  const socket = join(folder, 'redis.sock')
  const settings = [
    '--port',
    '0',
    '--unixsocket',
    socket,
    '--save',
    '',
    '--appendonly',
    durable ? 'yes' : 'no',
    '--dir',
    folder,
  ]
  const start = () => spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'pipe'] })
  let child = start()
  const kill = (): void => {
    child.kill('SIGKILL')
  }
  // Also if a test run ends by an error or an interrupt.
  process.once('exit', kill)
  async function end(): Promise<void> {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null && child.signalCode === null) {
      kill()
      await ended
    }
  }
  async function stop(): Promise<void> {
    await end()
    process.off('exit', kill)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await ready(child)
    const restart = async (): Promise<void> => {
      await end()
      child = start()
      await ready(child)
    }
    return { socket, restart, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function ready(child: ChildProcess): Promise<void> {
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += String(chunk)
      if (/ready to accept connections/i.test(said)) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}: ${said.slice(-1000)}`)))
  })
}
