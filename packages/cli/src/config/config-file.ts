import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { cleanLine, messageOf } from '@tenfold/core/internal'
import { type Command, InvalidArgumentError, type Option } from 'commander'
import { trustOf } from '../state/trust.ts'
import { foldersOfProject } from '../store/project-store.ts'
import { readTextNow } from '../terminal/regular-file.ts'
import { errorCode, unlessRefused } from '../terminal/thrown.ts'

type OptionValue = string | number | boolean | readonly (string | number)[]

/** A command's options by their long names without dashes, and sections for its subcommands. */
interface ConfigSection {
  readonly [name: string]: OptionValue | ConfigSection
}

interface FoundConfig {
  readonly path: string
  /** Empty if the file cannot be read. */
  readonly bytes: Buffer
}

interface ConfigFile {
  readonly path: string
  readonly values: ConfigSection
}

export const configName = 'tenfold.config.json'

export function projectConfig(folder: string): FoundConfig | undefined {
  for (const path of foldersOfProject(folder)) {
    const place = join(path, configName)
    // An unreadable file, which anyone may have put there, must not stop a command.
    const found = unlessRefused(() => findConfig(place), { path: place, bytes: Buffer.alloc(0) })
    if (found !== undefined) return found
  }
  return undefined
}

function findConfig(path: string): FoundConfig | undefined {
  try {
    return { path, bytes: Buffer.from(readTextNow(path, maxBytes)) }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

/** Reads JSON with or without comments. Throws TenfoldError `bad-config`. */
export async function readConfig({ path, bytes }: FoundConfig, commands: readonly string[]) {
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
  // Loaded here, because most folders have no config file.
  const { stripComments } = await import('jsonc-parser')
  return JSON.parse(stripComments(bytes.toString(), ' '))
}

const maxBytes = 1_000_000

const maxDepth = 3

function isSection(value: unknown): value is ConfigSection {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isValid(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string' || typeof item === 'number')
  if (!isSection(value)) return ['string', 'number', 'boolean'].includes(typeof value)
  return depth > 0 && Object.values(value).every((inner) => isValid(inner, depth - 1))
}

/** Options that a config file may set for every command that has them. */
export const sharedOptions = ['store', 'summarizer', 'model', 'fallback', 'max-log-size']

/**
 * The config files that apply in a folder, the project's before the user's. A project's file may come with a clone and
 * could send sessions elsewhere, so it applies only if the user trusts it. `untrusted` is a file that was left out.
 */
export async function loadConfig(folder: string, env: NodeJS.ProcessEnv, commands: readonly string[]) {
  const project = projectConfig(folder)
  const { XDG_CONFIG_HOME: xdg } = env
  const configs = xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.config')
  const user = findConfig(join(configs, 'tenfold', 'config.json'))
  const trusted = project && trustOf(project.path)?.digest
  const isTrusted = trusted !== undefined && project && trusted === (await configDigest(project))
  const counted = [isTrusted ? project : undefined, user].filter((found) => found !== undefined)
  return {
    files: await Promise.all(counted.map((found) => readConfig(found, commands))),
    ...(project === undefined || isTrusted ? {} : { untrusted: cleanLine(project.path) }),
  }
}

const maxFiles = 500

/**
 * Digest of a config file and all files that it names, such as a reader's module, since they decide what tenfold runs.
 * Files that these name by a relative path count too, but installed packages do not.
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

/** The words of all texts in a value, since a command names files among its words. Values to redact are not code. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(/[\s"'`=;|&()<>]+/).filter((word) => word !== '')
  if (Array.isArray(value)) return value.flatMap(wordsOf)
  if (!isSection(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === 'redact-env' ? [] : wordsOf(inner)))
}

/**
 * Sets the options of a command and its subcommands from `TENFOLD_<COMMAND>_<OPTION>`, otherwise from the first config
 * file that has them. The command line is parsed later and takes precedence. Ends the command if a value is invalid or
 * a file names an unknown option.
 */
export function applyOptionValues(
  command: Command,
  env: NodeJS.ProcessEnv,
  files: readonly ConfigFile[],
): void {
  const chain = commandsOf(command)
  const found = files.map((file) => ({ ...file, section: sectionOf(chain, file) }))
  for (const option of command.options) {
    const name = option.long?.slice(2)
    if (name === undefined) continue
    // An option with its own variable, such as TENFOLD_STORE, has no second one.
    const words = ['tenfold', ...chain.map((each) => each.name()), name]
    const variable = option.envVar === undefined ? words.join('_').replaceAll('-', '_').toUpperCase() : ''
    const given = env[variable]
    if (given !== undefined && given !== '') set(command, option, given, variable)
    else
      for (const { path, values, section } of found) {
        const value = own(section, name) ?? own(values, name)
        // At the top level, a command may have the same name as an option.
        if (value === undefined || isSection(value)) continue
        set(command, option, inFolder(name, value, dirname(path)), `${cleanLine(path)}: ${name}`)
        break
      }
  }
  for (const inner of command.commands) applyOptionValues(inner, env, files)
}

function commandsOf(command: Command): Command[] {
  const { parent } = command
  return parent === null ? [] : [...commandsOf(parent), command]
}

/** Ends the command at an unknown option, since it may be a misspelled one that limits spending. */
function sectionOf(chain: readonly Command[], { path, values }: ConfigFile): ConfigSection | undefined {
  let section: ConfigSection | undefined = values
  let words = 'tenfold'
  for (const command of chain) {
    words += ` ${command.name()}`
    const inner = own(section, command.name())
    if (inner !== undefined && !isSection(inner))
      command.error(`error: ${cleanLine(path)}: expected an object of options for ${words}`)
    section = isSection(inner) ? inner : undefined
  }
  const command = chain.at(-1)
  const options = command?.options.map(({ long }) => long?.slice(2)) ?? []
  const known = [...options, ...(command?.commands.map((inner) => inner.name()) ?? [])]
  const unknown = Object.keys(section ?? {}).find((name) => !known.includes(name))
  if (command !== undefined && unknown !== undefined)
    command.error(`error: ${cleanLine(path)}: ${words} has no option ${JSON.stringify(unknown)}`)
  return section
}

function own(section: ConfigSection | undefined, name: string): OptionValue | ConfigSection | undefined {
  return section !== undefined && Object.hasOwn(section, name) ? section[name] : undefined
}

/** Resolves paths against the config file's folder. A store may also be a URL, and a reader a package. */
function inFolder(name: string, value: OptionValue, folder: string): OptionValue {
  const whole = <T extends OptionValue>(one: T): T | string => {
    if (typeof one !== 'string' || !['store', 'prices', 'redact-env', 'reader'].includes(name)) return one
    const isPath = name === 'reader' ? isModulePath(one) : !one.includes('://')
    return isPath ? resolve(folder, one) : one
  }
  return typeof value === 'object' ? value.map(whole) : whole(value)
}

export function isModulePath(module: string): boolean {
  return /^[./]|^[A-Za-z]:|\.[cm]?js$/.test(module)
}

function set(command: Command, option: Option, value: OptionValue, place: string): void {
  try {
    const parsed = option.isBoolean() || option.negate ? flagOf(option, value) : parsedOf(option, value)
    command.setOptionValueWithSource(option.attributeName(), parsed, 'config')
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    command.error(`error: ${place} is not valid: ${error.message}`)
  }
}

/** The value of `--flag` or `--no-flag`. Undefined if it is off, as on the command line. */
function flagOf(option: Option, value: OptionValue): boolean | undefined {
  const text = String(value).toLowerCase()
  const isOn = ['1', 'true', 'yes', 'on'].includes(text)
  if (!isOn && !['0', 'false', 'no', 'off'].includes(text))
    throw new InvalidArgumentError(`expected true or false, got ${JSON.stringify(value)}`)
  return option.negate ? !isOn : isOn || undefined
}

function parsedOf(option: Option, value: OptionValue): unknown {
  const texts = (Array.isArray(value) ? value : [value]).map(String)
  if (option.parseArg === undefined) return option.variadic ? texts : texts.at(-1)
  let parsed: unknown
  for (const text of texts) parsed = option.parseArg(text, parsed)
  return parsed
}
