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

  it.each([...entries])('of %s has a document or example for every value', (_, names) => {
    expect(names.filter((name) => !words.has(name))).toEqual([])
  })
})

/** The members of the interface that a file exports by this name: those with a comment, and those without. */
function membersOf(file: string, name: string): { readonly said: string[]; readonly bare: string[] } {
  const source = readFileSync(file, 'utf8')
  const start = source.search(new RegExp(`^export interface ${name}\\b[^}]*\\{$`, 'm'))
  const lines = start < 0 ? [] : source.slice(start, source.indexOf('\n}', start)).split('\n')
  const members = lines.flatMap((line, at) => {
    const member = /^ {2}(?:readonly )?(\w+)\??[:(]/.exec(line)?.[1]
    return member === undefined ? [] : [[`${name}.${member}`, /\*\/\s*$/.test(lines[at - 1] ?? '')] as const]
  })
  const named = (isSaid: boolean): string[] =>
    members.filter(([, said]) => said === isSaid).map(([each]) => each)
  return { said: named(true), bare: named(false) }
}

describe('the options of public functions', () => {
  it('each have a comment', () => {
    const options = packages.flatMap((name) => {
      const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
      const types = Object.entries<{ types?: string }>(manifest.exports).flatMap(([path, target]) =>
        path.startsWith('./internal') ? [] : (target.types ?? []),
      )
      return types.flatMap((path) => {
        const entry = join(root, 'packages', name, path.replace('./dist/', 'src/').replace('.d.ts', '.ts'))
        const exports = readFileSync(entry, 'utf8').matchAll(
          /^export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm,
        )
        return [...exports].flatMap(([, names = '', from = '']) =>
          [...names.matchAll(/\w+(?:Options|Limits|Facets)\b/g)].map(([each]) =>
            membersOf(join(entry, '..', from), each),
          ),
        )
      })
    })
    expect(options.flatMap(({ said }) => said).length).toBeGreaterThan(200)
    expect(options.flatMap(({ bare }) => bare)).toEqual([])
  })
})
