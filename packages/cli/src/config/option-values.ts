import { dirname, resolve } from 'node:path'
import { cleanLine } from '@tenfold/core/internal'
import { type Command, InvalidArgumentError, type Option } from 'commander'
import { type ConfigFile, type ConfigSection, isSection, type OptionValue } from './config-file.ts'

/**
 * Sets the options of a command and of its subcommands before the command line is parsed, which takes precedence: from
 * `TENFOLD_<COMMAND>_<OPTION>`, otherwise from the config files, the first of which counts. Ends the command if a value
 * is wrong, or if a file names an unknown option.
 */
export function applyOptionValues(
  command: Command,
  env: NodeJS.ProcessEnv,
  files: readonly ConfigFile[],
): void {
  const chain = commandsOf(command)
  for (const file of files) checkNames(chain, file)
  for (const option of command.options) {
    const name = option.long?.slice(2)
    if (name === undefined) continue
    // An option that names a variable of its own, such as TENFOLD_STORE, has no second one.
    const variable = option.envVar === undefined ? variableOf(chain, name) : ''
    const given = env[variable] === '' ? undefined : env[variable]
    const found = given === undefined ? inFiles(chain, name, files) : { value: given, place: variable }
    if (found !== undefined) set(command, option, found)
  }
  for (const inner of command.commands) applyOptionValues(inner, env, files)
}

/** `TENFOLD_CHECKPOINT_SAVE_TRACK` for `--track` of `tenfold checkpoint save`. */
function variableOf(chain: readonly Command[], name: string): string {
  const words = ['tenfold', ...chain.map((command) => command.name()), name]
  return words.join('_').replaceAll('-', '_').toUpperCase()
}

function commandsOf(command: Command): Command[] {
  const { parent } = command
  return parent === null ? [] : [...commandsOf(parent), command]
}

const paths = ['store', 'prices', 'redact-env', 'reader']

/** A store may be a URL, and a reader a package. */
function isPath(name: string, value: OptionValue): value is string {
  if (typeof value !== 'string' || !paths.includes(name)) return false
  return name === 'reader' ? isModulePath(value) : !value.includes('://')
}

/** The value of an option that was not given on the command line, and where it is, for errors. */
interface FoundValue {
  readonly value: OptionValue
  readonly place: string
}

function inFiles(
  chain: readonly Command[],
  name: string,
  files: readonly ConfigFile[],
): FoundValue | undefined {
  for (const { path, values } of files) {
    const section = sectionsOf(chain, values).at(-1)
    const value = (section && own(section, name)) ?? own(values, name)
    // At the top, a command may have the name of an option.
    if (value === undefined || isSection(value)) continue
    const place = `${cleanLine(path)}: ${name}`
    const whole = <T extends OptionValue>(one: T) => (isPath(name, one) ? resolve(dirname(path), one) : one)
    return { value: typeof value === 'object' ? value.map(whole) : whole(value), place }
  }
  return undefined
}

/** Whether a module is named by its path; a package is named otherwise. */
export function isModulePath(module: string): boolean {
  return /^[./]|^[A-Za-z]:|\.[cm]?js$/.test(module)
}

function set(command: Command, option: Option, { value, place }: FoundValue): void {
  try {
    const isFlag = option.isBoolean() || option.negate
    const parsed = isFlag ? flagOf(option, value) : parsedOf(option, value)
    command.setOptionValueWithSource(option.attributeName(), parsed, 'config')
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    command.error(`error: ${place} is not valid: ${error.message}`)
  }
}

/** The value of `--flag` or `--no-flag`. A flag that is off is absent, as on the command line. */
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

function sectionsOf(chain: readonly Command[], values: ConfigSection): (ConfigSection | undefined)[] {
  let section: ConfigSection | undefined = values
  return chain.map((command) => {
    const inner: OptionValue | ConfigSection | undefined = section && own(section, command.name())
    section = isSection(inner) ? inner : undefined
    return section
  })
}

function own(section: ConfigSection, name: string): OptionValue | ConfigSection | undefined {
  return Object.hasOwn(section, name) ? section[name] : undefined
}

/** A misspelled option must not be passed over: it may be the one that limits spending. */
function checkNames(chain: readonly Command[], { path, values }: ConfigFile): void {
  const command = chain.at(-1)
  if (command === undefined) return
  const words = chain.map((outer) => outer.name()).join(' ')
  const outer = chain.length === 1 ? values : sectionsOf(chain.slice(0, -1), values).at(-1)
  const value = outer && own(outer, command.name())
  if (value !== undefined && !isSection(value))
    command.error(`error: ${cleanLine(path)}: expected an object of options for tenfold ${words}`)
  const section = isSection(value) ? value : undefined
  if (section === undefined) return
  const known = new Set([
    ...command.options.map(({ long }) => long?.slice(2)),
    ...command.commands.map((inner) => inner.name()),
  ])
  const unknown = Object.keys(section).find((name) => !known.has(name))
  if (unknown === undefined) return
  command.error(`error: ${cleanLine(path)}: tenfold ${words} has no option ${JSON.stringify(unknown)}`)
}
