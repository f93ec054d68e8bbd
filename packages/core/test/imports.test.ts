import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../src/index.ts'

const lib = join(import.meta.dirname, '../lib')

/** The files that an import of an entry loads at once, with their sizes: not those of `import()`. */
function loadedBy(file: string, loaded = new Map<string, number>()): ReadonlyMap<string, number> {
  if (loaded.has(file)) return loaded
  const code = readFileSync(join(lib, file), 'utf8')
  loaded.set(file, Buffer.byteLength(code))
  for (const [, name] of code.matchAll(/^(?:import|export)\b[^;\n]*?"(\.\.?\/[^"\n]+)";?$/gm))
    if (name !== undefined) loadedBy(join(dirname(file), name), loaded)
  return loaded
}

// What an import loads is what it takes, and does not depend on the machine. Raise a limit only with a reason. What renders
// briefs is a file of its own, which most load.
describe('an import', () => {
  it.each([
    // Stores, bundles and briefs; what makes a bundle of a session is loaded at the first call.
    { entry: 'index', files: 9, kilobytes: 320 },
    // What makes a bundle is a file of its own.
    { entry: 'facts', files: 10, kilobytes: 860 },
    // With eight readers, two of them with their agents' folders.
    { entry: 'readers', files: 12, kilobytes: 1300 },
    { entry: 'store', files: 11, kilobytes: 900 },
    { entry: 'redact', files: 10, kilobytes: 235 },
    { entry: 'halt', files: 1, kilobytes: 2 },
    { entry: 'replay', files: 10, kilobytes: 230 },
    // With the brief of a session that goes on, and what names files below its folder.
    { entry: 'bundle', files: 5, kilobytes: 249 },
    { entry: 'summarizer', files: 2, kilobytes: 13 },
    { entry: 'storage', files: 2, kilobytes: 13 },
    // What tells a choice from an order and from a message that is taken back, and rules in ten languages; the texts of
    // events are in another file, since a replay needs no more. A title is of a branch, a pull request or a commit too,
    // a brief says after which edit a check passed, shows a constraint even if the last words hold it, and marks what it
    // leaves out of a quote.
    { entry: 'internal/summarizer', files: 6, kilobytes: 381 },
    { entry: 'internal/locks', files: 2, kilobytes: 3 },
  ])('of $entry loads few files', ({ entry, files, kilobytes }) => {
    const loaded = [...loadedBy(`${entry}.js`).values()]
    expect(loaded.length).toBeGreaterThan(0)
    expect(loaded.length).toBeLessThanOrEqual(files)
    expect(loaded.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(kilobytes * 1000)
  })

  it.each(
    ['facts', 'readers', 'store', 'halt', 'replay', 'internal']
      .map((name) => [name, `entries/${name}`])
      .concat([['index', 'index']]),
  )(
    'of %s exports each function by its name, and imports its modules at the first call',
    async (entry, path) => {
      const built: Record<string, unknown> = await import(join(lib, `${entry}.js`))
      const source: Record<string, unknown> = await import(join(import.meta.dirname, '../src', `${path}.ts`))
      expect(Object.keys(built).sort()).toEqual(Object.keys(source).sort())
      for (const [name, value] of Object.entries(source)) expect(typeof built[name], name).toBe(typeof value)
    },
  )

  it('of index imports the code that makes a bundle, searches or verifies at its first call', async () => {
    const code = [...loadedBy('index.js').keys()]
      .map((file) => readFileSync(join(lib, file), 'utf8'))
      .join('')
    expect(code).toContain('function bundleStore(')
    expect(code).not.toMatch(/function (?:extractFacts|compressLog|dumpHalt|recall|verifyStore)\(/)
    const { listDumps }: typeof import('../src/entries/halt.ts') = await import(join(lib, 'halt.js'))
    await expect(listDumps(memoryStorage())).resolves.toEqual([])
  })
})
