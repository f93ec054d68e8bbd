import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'

const bin = resolve(import.meta.dirname, '../../bin/tenfold.js')

export interface RunOptions {
  readonly cwd: string
  readonly env?: Record<string, string>
  /** @default closed at once */
  readonly stdin?: string | 'open'
}

export interface Ran {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts the command as a process of its own; the environment says nothing about colours, stores or debugging. */
export function start(args: readonly string[], { cwd, env = {}, stdin = '' }: RunOptions): ChildProcess {
  const { PATH, HOME, SystemRoot } = process.env
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { PATH, HOME, SystemRoot, ...env },
    stdio: 'pipe',
  })
  // The command may end before it has read all.
  child.stdin.on('error', () => undefined)
  if (stdin !== 'open') child.stdin.end(stdin)
  return child
}

/** Waits until the process ends. */
export async function ended(child: ChildProcess): Promise<Ran> {
  if (child.stdout === null || child.stderr === null) throw new Error('expected pipes')
  const closed = new Promise<[number | null, NodeJS.Signals | null]>((done) =>
    child.once('close', (code, signal) => done([code, signal])),
  )
  const [stdout, stderr, [code, signal]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), closed])
  return { code, signal, stdout, stderr }
}

export async function run(args: readonly string[], options: RunOptions): Promise<Ran> {
  return await ended(start(args, options))
}

/** Resolves when the stream has given a text that holds `part`. */
export async function seen(stream: NodeJS.ReadableStream | null, part: string): Promise<void> {
  let got = ''
  await new Promise<void>((done, fail) => {
    stream?.on('data', (chunk: Buffer) => {
      got += chunk.toString()
      if (got.includes(part)) done()
    })
    stream?.once('end', () => fail(new Error(`ended without ${JSON.stringify(part)}: ${got}`)))
  })
}

/** A new folder that `remove` takes away. */
export function newFolder(): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'tenfold-cli-')))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  return stream.readable ? await text(stream) : ''
}
