import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bundleProgram } from './bundle-program.ts'

export type SaveKind = 'save' | 'checkpoint'

/** One save that a process announced. */
export interface AnnouncedSave {
  readonly kind: SaveKind
  readonly id: string
  /** Whether it returned. */
  readonly saved: boolean
}

/** A process that saves in a loop. */
export interface Saver {
  readonly child: ChildProcess
  /** Resolves once it has printed so many lines (one at its start, seven per save), or has ended. */
  printed(lines: number): Promise<void>
  /** Saves that it announced, in order, once it has ended. */
  readonly saves: Promise<AnnouncedSave[]>
}

/** Options of a saver: `count` saves of the kinds in turn, or until it is killed if `count` is 0. */
export interface SaverOptions {
  readonly folder: string
  readonly track: string
  readonly kinds: readonly SaveKind[]
  readonly count: number
}

/** Bundles the program of the savers into one file. Returns its path. */
export async function bundleSaver(folder: string): Promise<string> {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return await bundleProgram(fileURLToPath(new URL(`./save-child.${ending}`, import.meta.url)), folder)
}

export function startSaver(program: string, { folder, track, kinds, count }: SaverOptions): Saver {
  const child = spawn(process.execPath, [program, folder, track, kinds.join(), String(count)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let complaints = ''
  let waiting: { readonly lines: number; readonly resolve: () => void } | undefined
  const closed = once(child, 'close')
  const look = (isOver: boolean): void => {
    if (waiting !== undefined && (isOver || linesOf(output).length >= waiting.lines)) waiting.resolve()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    look(false)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  child.once('close', () => look(true))
  const saves = closed.then(([code]: unknown[]) => {
    if (code !== 0 && code !== null) throw new Error(`a saver ended with ${code}: ${complaints}`)
    return parseSaves(output)
  })
  // A failure is reported to the caller that asks for the saves.
  saves.catch(() => undefined)
  return {
    child,
    saves,
    printed: (lines) =>
      new Promise((resolve) => {
        waiting = { lines, resolve }
        look(child.exitCode !== null || child.signalCode !== null)
      }),
  }
}

/** Whole lines; the last one may be cut by a kill. */
function linesOf(output: string): string[] {
  return output.split('\n').slice(0, -1)
}

function parseSaves(output: string): AnnouncedSave[] {
  const saves = new Map<string, AnnouncedSave>()
  for (const line of linesOf(output)) {
    const [, announced, id = ''] = /^saving (save|checkpoint) (\S+)$/.exec(line) ?? []
    if (announced !== undefined) saves.set(id, { kind: announced as SaveKind, id, saved: false })
    const [, kind, saved = ''] = /^saved (save|checkpoint) (\S+)$/.exec(line) ?? []
    if (kind !== undefined) saves.set(saved, { kind: kind as SaveKind, id: saved, saved: true })
  }
  return [...saves.values()]
}
