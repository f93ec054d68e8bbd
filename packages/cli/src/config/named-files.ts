import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { parseJson, readTextNow } from '../terminal/regular-file.ts'
import { unlessRefused } from '../terminal/thrown.ts'
import { type FoundConfig, isSection } from './config-file.ts'

const maxFiles = 500

/**
 * Digest of a config file and of all files that it names, such as the module of a reader: whoever changes one of them
 * changes what tenfold runs. What a named file names by a relative path counts too, but no installed package.
 */
export function configDigest({ path, bytes }: FoundConfig): string {
  const hash = createHash('sha256').update(bytes)
  const folder = dirname(path)
  const seen = new Set<string>()
  const queue = wordsOf(parseJson(bytes.toString())).map((word) => resolve(folder, word))
  for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
    const real = unlessRefused(() => realpathSync(resolve(folder, place ?? '')), undefined)
    const text = real === undefined || seen.has(real) ? undefined : textOf(real)
    if (real === undefined || text === undefined) continue
    seen.add(real)
    if (seen.size > maxFiles)
      throw new TenfoldError('bad-config', `${path} names more than ${maxFiles} files; it cannot be trusted.`)
    hash.update(`\0${relative(folder, real)}\0${text.length}\0${text}`)
    for (const [named] of text.matchAll(relativePath))
      for (const ending of endings) queue.push(resolve(dirname(real), `${named}${ending}`))
  }
  return hash.digest('hex')
}

const relativePath = /\.{1,2}\/[\w@./-]+/g

const endings = ['', '.js', '.cjs', '.mjs', '.json', '/index.js']

/** Undefined for a folder, and for a name that is no path. */
function textOf(path: string): string | undefined {
  return unlessRefused(() => readTextNow(path), undefined)
}

/** The words of all texts in a value: a command names files among its words. Values to redact are no code. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(/[\s"'`=;|&()<>]+/).filter((word) => word !== '')
  if (Array.isArray(value)) return value.flatMap(wordsOf)
  if (!isSection(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === 'redact-env' ? [] : wordsOf(inner)))
}
