import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bundleStore } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import { fileStorage } from '../src/file-storage.ts'
import { bundleTemplate } from './support/bundle-template.ts'
import { filesBelow, makeFolder } from './support/folder.ts'

const script = fileURLToPath(new URL('support/save-child.js', import.meta.url))

interface Saver {
  readonly child: ChildProcess
  /** Saves that returned, once the process has ended. */
  readonly output: Promise<{ sequence: number; id: string }[]>
}

function startSaver(root: string, template: string, count: number): Saver {
  const child = spawn(process.execPath, [script, root, template, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = text(child.stdout).then((printed) =>
    printed
      .split('\n')
      .slice(1, -1)
      .map((line) => ({ sequence: Number(line.split(' ')[0]), id: line.split(' ')[1] ?? '' })),
  )
  return { child, output }
}

async function prepare(): Promise<{ root: string; template: string }> {
  const folder = await makeFolder()
  const template = join(folder, 'template.json')
  await writeFile(template, JSON.stringify(bundleTemplate))
  return { root: join(folder, 'store'), template }
}

describe('saving processes', () => {
  it('that share a track number their saves without gaps or doubles', async () => {
    const { root, template } = await prepare()
    const savers = Array.from({ length: 4 }, () => startSaver(root, template, 25))
    const saved = (await Promise.all(savers.map(({ output }) => output))).flat()
    expect(saved.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
    const store = bundleStore(fileStorage(root))
    const history = await store.history('main')
    expect(history.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    expect(new Map(history.map(({ id, sequence }) => [id, sequence]))).toEqual(
      new Map(saved.map(({ id, sequence }) => [id, sequence])),
    )
    const latest = await store.latest('main')
    expect(latest?.entry.sequence).toBe(100)
    expect(latest?.repaired).toBeUndefined()
    const markdown = new TextDecoder().decode((await fileStorage(root).get('tracks/main/LATEST.md'))?.bytes)
    expect(markdown).toContain(`id: ${latest?.bundle.id}\n`)
    expect((await filesBelow(root)).filter((path) => path.includes('/.'))).toEqual([])
  }, 30_000)

  it('that are killed lose no save that returned, and leave LATEST whole', async () => {
    const { root, template } = await prepare()
    const store = bundleStore(fileStorage(root))
    const acknowledged = new Map<number, string>()
    const start = performance.now()
    let kills = 0
    while (kills < 30 && performance.now() - start < 10_000) {
      const { child, output } = startSaver(root, template, 0)
      if (child.stdout !== null) await once(child.stdout, 'data')
      await sleep(Math.random() * 150)
      child.kill('SIGKILL')
      for (const { sequence, id } of await output) acknowledged.set(sequence, id)
      kills += 1
      const last = Math.max(0, ...acknowledged.keys())
      if (last === 0) continue
      const latest = await store.latest('main')
      expect(latest?.entry.sequence, `after kill ${kills}`).toBeGreaterThanOrEqual(last)
    }
    expect(acknowledged.size).toBeGreaterThan(10)
    const history = new Map((await store.history('main')).map(({ sequence, id }) => [sequence, id]))
    for (const [sequence, id] of acknowledged) {
      expect(history.get(sequence)).toBe(id)
      expect((await store.load(id)).id).toBe(id)
    }
    expect([...history.keys()]).toEqual(Array.from({ length: history.size }, (_, index) => index + 1))
  }, 30_000)
})
