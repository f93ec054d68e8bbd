import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(root, folder, name))

const packages = readdirSync(join(root, 'packages')).filter((name) => name !== 'cli')
const texts = [
  join(root, 'README.md'),
  ...filesIn('docs', '.md'),
  ...packages.map((name) => join(root, 'packages', name, 'README.md')),
  ...filesIn('examples', '.ts').filter((path) => !path.includes('/dist/')),
].map((path) => readFileSync(path, 'utf8'))
const words = new Set(texts.flatMap((text) => text.match(/[A-Za-z]\w*/g) ?? []))

/** Each public entry of the packages, such as `@tenfold/core/readers`, with the names of its values. */
async function publicEntries(): Promise<ReadonlyMap<string, readonly string[]>> {
  const entries = packages.flatMap((name): string[] => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
    return Object.keys(manifest.exports)
      .filter((path) => !path.endsWith('.json') && !path.startsWith('./internal'))
      .map((path) => join(manifest.name, path))
  })
  return new Map(
    await Promise.all(entries.map(async (entry) => [entry, Object.keys(await import(entry))] as const)),
  )
}

const entries = await publicEntries()

describe('the public surface', () => {
  it('of core has at most 60 values at its root', () => {
    expect(entries.size).toBeGreaterThan(20)
    expect(entries.get('@tenfold/core')?.length).toBeLessThanOrEqual(60)
    expect(entries.get('@tenfold/core')).toContain('compressLog')
  })

  it.each([...entries])('of %s has no value that stands in no document or example', (_, names) => {
    expect(names.filter((name) => !words.has(name))).toEqual([])
  })
})
