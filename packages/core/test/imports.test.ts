import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const lib = join(import.meta.dirname, '../lib')

/** The files that an import of an entry loads at once, with their sizes: not those of `import()`. */
function loadedBy(file: string, loaded = new Map<string, number>()): ReadonlyMap<string, number> {
  if (loaded.has(file)) return loaded
  const code = readFileSync(join(lib, file), 'utf8')
  loaded.set(file, Buffer.byteLength(code))
  for (const [, name] of code.matchAll(/^(?:import|export)\b[^;\n]*?"\.\/([^"\n]+)";?$/gm))
    if (name !== undefined) loadedBy(name, loaded)
  return loaded
}

// What an import loads is what it takes, and does not depend on the machine. Raise a limit only with a reason.
describe('an import', () => {
  it.each([
    // Eight readers, two of them with their agents' folders, the leases of paid work, what reads and counts with fewer
    // strings, and what reads the last words of a session in ten languages.
    { entry: 'index', files: 8, kilobytes: 1460 },
    // With the brief of a session that goes on.
    { entry: 'bundle', files: 4, kilobytes: 248 },
    // What tells a choice from an order and from a message that is taken back.
    { entry: 'summarizer', files: 4, kilobytes: 315 },
    // What names processes is a file of its own: it needs files, and a bundle is also read where there are none.
    { entry: 'storage', files: 3, kilobytes: 13 },
  ])('of $entry loads few files', ({ entry, files, kilobytes }) => {
    const loaded = [...loadedBy(`${entry}.js`).values()]
    expect(loaded.length).toBeGreaterThan(1)
    expect(loaded.length).toBeLessThanOrEqual(files)
    expect(loaded.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(kilobytes * 1000)
  })

  it('of index gives each function by its name, with what it loads at its first call', async () => {
    const built: Record<string, unknown> = await import(join(lib, 'index.js'))
    const source: Record<string, unknown> = await import('../src/index.ts')
    expect(Object.keys(built).sort()).toEqual(Object.keys(source).sort())
    for (const [name, value] of Object.entries(source)) expect(typeof built[name], name).toBe(typeof value)
    const code = [...loadedBy('index.js').keys()]
      .map((file) => readFileSync(join(lib, file), 'utf8'))
      .join('')
    expect(code).toContain('function extractFacts(')
    expect(code).not.toMatch(/function (?:dumpHalt|recall|verifyStore)\(/)
    const { listDumps, memoryStorage } = built as unknown as typeof import('../src/index.ts')
    await expect(listDumps(memoryStorage())).resolves.toEqual([])
  })
})
