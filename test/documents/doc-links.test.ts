import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deadLinks } from '../../ci/dead-links.mjs'

const root = resolve(import.meta.dirname, '../..')
const below = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...below('docs'),
  ...below('.github'),
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
]

/** The headings of a document as GitHub names them in links. */
function anchorsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replace(/^```.*?^```$/gms, '')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe.each(documents)('%s', (name) => {
  it('links to files and headings that exist', () => {
    const path = join(root, name)
    const links = readFileSync(path, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)
    const dead = [...links].filter(([, file = '', anchor]) => {
      const target = file === '' ? path : join(dirname(path), file)
      if (!existsSync(target)) return true
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)
    })
    expect(dead.map(([link]) => link)).toEqual([])
  })
})

describe('the check of the site', () => {
  it('names links to pages that are missing', () => {
    const site = mkdtempSync(join(tmpdir(), 'tenfold-site-'))
    mkdirSync(join(site, 'sub'))
    const links =
      '<a href="sub/b.html#x"></a> <a href="https://example.org/"></a> <img src="no.png"> <a href="#y">'
    writeFileSync(join(site, 'a.html'), links)
    writeFileSync(join(site, 'sub/b.html'), '<a href="../a.html"></a> <a href="../c%20d.html?q"></a>')
    expect(deadLinks(site).sort()).toEqual(['a.html: no.png', 'sub/b.html: ../c%20d.html'])
    rmSync(site, { recursive: true })
  })
})

describe('the README of a package', () => {
  const readmes = documents.filter((name) => name.startsWith('packages/'))
  it.each(readmes)('says where the logs of its examples are, which no package has: %s', (name) => {
    const text = readFileSync(join(root, name), 'utf8')
    if (text.includes('examples/logs'))
      expect(text).toContain('in `examples/logs` are in the repository, not in the package')
  })
})
