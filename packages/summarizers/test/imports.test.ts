import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const folder = join(import.meta.dirname, '..')

const known = new Map<string, readonly string[]>()

/** The files that a fresh process loads for an import. */
function filesOf(specifier: string): readonly string[] {
  const before = known.get(specifier)
  if (before !== undefined) return before
  const hooks = `export async function load(url, context, next) { process._rawDebug('loaded ' + url); return next(url, context) }`
  const script = `
    import { register } from 'node:module'
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}))
    await import(${JSON.stringify(specifier)})`
  // CommonJS files are loaded without the hooks: node reports those itself.
  const after = `
    const { createRequire } = await import('node:module')
    for (const file of Object.keys(createRequire(import.meta.url).cache)) process._rawDebug('loaded ' + file)`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script + after], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  const files = [...stderr.matchAll(/^loaded (.*)$/gm)].map(([, file]) => file ?? '')
  known.set(specifier, files)
  return files
}

/** The packages of those files. */
function packagesOf(specifier: string): string[] {
  const names = filesOf(specifier).map(
    (file) => /.*\/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/.exec(file)?.[1] ?? [],
  )
  return [...new Set(names.flat())].sort()
}

const vendors = ['@ai-sdk/provider', '@anthropic-ai/sdk', 'ai', 'ollama', 'openai']

describe('the packages that a subpath loads', () => {
  it('are visible to this test', () => {
    expect(packagesOf('ollama')).toContain('ollama')
  })

  it.each([['model'], ['extractive'], ['ai-sdk'], ['openai'], ['anthropic'], ['ollama']])(
    'include no SDK, which its first call loads, so that a missing one is named: %s',
    (subpath) => {
      const loaded = packagesOf(`@tenfold/summarizers/${subpath}`)
      expect(loaded.filter((name) => vendors.includes(name))).toEqual([])
    },
  )
})

describe('all of core', () => {
  const isCore = (file: string) => /\/core\/lib\/index\.js$/.test(file)

  it('is visible to this test', () => {
    expect(filesOf('@tenfold/core').some(isCore)).toBe(true)
  })

  it.each(['model', 'extractive', 'ai-sdk', 'openai', 'anthropic', 'ollama', 'batch'])(
    'is not loaded before the first call: %s',
    (subpath) => {
      expect(filesOf(`@tenfold/summarizers/${subpath}`).some(isCore)).toBe(false)
    },
  )
})
