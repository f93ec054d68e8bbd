import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { cleanLine, messageOf } from '@tenfold/core/internal'
import { trustOf } from '../state/trust.ts'
import { foldersOfProject } from '../store/project-store.ts'
import { readTextNow } from '../terminal/regular-file.ts'
import { errorCode, unlessRefused } from '../terminal/thrown.ts'

export type OptionValue = string | number | boolean | readonly (string | number)[]

/** Options of a command by their long names without the dashes, and sections of its subcommands. */
export interface ConfigSection {
  readonly [name: string]: OptionValue | ConfigSection
}

interface FoundConfig {
  readonly path: string
  /** Empty if it cannot be read. */
  readonly bytes: Buffer
}

export interface ConfigFile {
  readonly path: string
  readonly values: ConfigSection
}

export const configName = 'tenfold.config.json'

export function projectConfig(folder: string): FoundConfig | undefined {
  for (const path of foldersOfProject(folder)) {
    const place = join(path, configName)
    // Whoever put there what cannot be read keeps no command from its work.
    const found = unlessRefused(() => findConfig(place), { path: place, bytes: Buffer.alloc(0) })
    if (found !== undefined) return found
  }
  return undefined
}

/** Finds the config file of the user: `$XDG_CONFIG_HOME/tenfold/config.json`, otherwise below `~/.config`. */
function userConfig(env: NodeJS.ProcessEnv): FoundConfig | undefined {
  const { XDG_CONFIG_HOME: xdg } = env
  return findConfig(join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.config'), 'tenfold', 'config.json'))
}

function findConfig(path: string): FoundConfig | undefined {
  try {
    return { path, bytes: Buffer.from(readTextNow(path, maxBytes)) }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

/** With comments or without. Throws TenfoldError `bad-config`. */
export async function readConfig(
  { path, bytes }: FoundConfig,
  commands: readonly string[],
): Promise<ConfigFile> {
  const bad = (why: string) => new TenfoldError('bad-config', `${cleanLine(path)} ${cleanLine(why)}.`)
  const values = await parseConfig(bytes).catch((error: unknown) => {
    throw bad(`is not JSON: ${messageOf(error)}`)
  })
  if (!isSection(values) || !isValid(values, maxDepth))
    throw bad('is not a config file: expected an object of commands, each an object of options')
  const names = [...commands, ...sharedOptions, '$schema']
  const unknown = Object.keys(values).find((name) => !names.includes(name))
  if (unknown === undefined) return { path, values }
  throw bad(`names ${JSON.stringify(unknown)}, which is neither a command nor an option of all commands`)
}

async function parseConfig(bytes: Buffer): Promise<unknown> {
  // Most folders have no config file.
  const { stripComments } = await import('jsonc-parser')
  return JSON.parse(stripComments(bytes.toString(), ' '))
}

const maxBytes = 1_000_000

const maxDepth = 3

export function isSection(value: unknown): value is ConfigSection {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isValid(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string' || typeof item === 'number')
  if (!isSection(value)) return ['string', 'number', 'boolean'].includes(typeof value)
  return depth > 0 && Object.values(value).every((inner) => isValid(inner, depth - 1))
}

/** Options that a config file may set for all commands that have them. */
export const sharedOptions = ['store', 'summarizer', 'model', 'fallback', 'max-log-size']

/**
 * The config files that count in a folder, the project's before the user's. A project's file may come with a clone and
 * could send sessions elsewhere, so it counts only if the user trusts it; `untrusted` is one that is left out.
 */
export async function loadConfig(
  folder: string,
  env: NodeJS.ProcessEnv,
  commands: readonly string[],
): Promise<{ readonly files: readonly ConfigFile[]; readonly untrusted?: string }> {
  const project = projectConfig(folder)
  const user = userConfig(env)
  const isTrusted = project !== undefined && (await isTrustedConfig(project))
  const counted = [isTrusted ? project : undefined, user].filter((found) => found !== undefined)
  return {
    files: await Promise.all(counted.map((found) => readConfig(found, commands))),
    ...(project === undefined || isTrusted ? {} : { untrusted: cleanLine(project.path) }),
  }
}

async function isTrustedConfig(found: FoundConfig): Promise<boolean> {
  const digest = trustOf(found.path)?.digest
  return digest !== undefined && digest === (await configDigest(found))
}

const maxFiles = 500

/**
 * Digest of a config file and of all files that it names, such as the module of a reader: whoever changes one of them
 * changes what tenfold runs. What a named file names by a relative path counts too, but no installed package.
 */
export async function configDigest({ path, bytes }: FoundConfig): Promise<string> {
  const hash = createHash('sha256').update(bytes)
  const folder = dirname(path)
  const seen = new Set<string>()
  const queue = wordsOf(await parseConfig(bytes).catch(() => undefined)).map((word) => resolve(folder, word))
  for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
    const real = unlessRefused(() => realpathSync(resolve(folder, place ?? '')), undefined)
    const text =
      real === undefined || seen.has(real) ? undefined : unlessRefused(() => readTextNow(real), undefined)
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

/** The words of all texts in a value: a command names files among its words. Values to redact are no code. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(/[\s"'`=;|&()<>]+/).filter((word) => word !== '')
  if (Array.isArray(value)) return value.flatMap(wordsOf)
  if (!isSection(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === 'redact-env' ? [] : wordsOf(inner)))
}
