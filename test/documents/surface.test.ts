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

const isSaid = (before: string | undefined): boolean => /\*\/\s*$/.test(before ?? '')

/** What a file exports as an interface or a class by this name, and its members: those with a comment, and those without. */
function membersOf(file: string, name: string): { readonly said: string[]; readonly bare: string[] } {
  const lines = readFileSync(file, 'utf8').split('\n')
  const start = lines.findIndex((line) => new RegExp(`^export (?:interface|class) ${name}\\b`).test(line))
  if (start < 0) return { said: [], bare: [] }
  const end = lines.findIndex((line, at) => at >= start && /^\}|\{\}$/.test(line))
  const members = lines.slice(start + 1, end).flatMap((line, at) => {
    const member = /^ {2}(?:declare )?(?:readonly )?(?!constructor)(\w+)\??[:(]/.exec(line)?.[1]
    // What tells the types of a union apart says itself.
    const isTag = member === 'type' && / '\w+'/.test(line)
    return member === undefined || isTag ? [] : [[`${name}.${member}`, isSaid(lines[start + at])] as const]
  })
  const all = [[name, isSaid(lines[start - 1])] as const, ...members]
  const named = (said: boolean): string[] => all.filter((each) => each[1] === said).map(([each]) => each)
  return { said: named(true), bare: named(false) }
}

describe('the public interfaces and classes', () => {
  it('have a comment, and each of their members', () => {
    const found = packages.flatMap((name) => {
      const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
      const types = Object.entries<{ types?: string }>(manifest.exports).flatMap(([path, target]) =>
        path.startsWith('./internal') ? [] : (target.types ?? []),
      )
      return types.flatMap((path) => {
        const entry = join(root, 'packages', name, path.replace('./dist/', 'src/').replace('.d.ts', '.ts'))
        const source = readFileSync(entry, 'utf8')
        const exports = source.matchAll(/^export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)
        const own = [...source.matchAll(/^export (?:interface|class) (\w+)/gm)].map(([, each = '']) =>
          membersOf(entry, each),
        )
        const named = [...exports].flatMap(([, names = '', from = '']) =>
          names.split(',').flatMap((each) => {
            const [of = ''] = each
              .trim()
              .replace(/^type /, '')
              .split(' as ')
            return of === '' ? [] : membersOf(join(entry, '..', from), of)
          }),
        )
        return [...own, ...named]
      })
    })
    expect(found.flatMap(({ said }) => said).length).toBeGreaterThan(900)
    // The members of ATIF are in its specification, which its comment names.
    expect(found.flatMap(({ bare }) => bare).filter((name) => !name.startsWith('Atif'))).toEqual([])
  })
})
