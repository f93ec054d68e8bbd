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
  const found = files.map((file) => ({ ...file, section: sectionOf(chain, file) }))
  for (const option of command.options) {
    const name = option.long?.slice(2)
    if (name === undefined) continue
    // An option that names a variable of its own, such as TENFOLD_STORE, has no second one.
    const variable = option.envVar === undefined ? variableOf(chain, name) : ''
    const given = env[variable]
    if (given !== undefined && given !== '') set(command, option, given, variable)
    else
      for (const { path, values, section } of found) {
        const value = own(section, name) ?? own(values, name)
        // At the top, a command may have the name of an option.
        if (value === undefined || isSection(value)) continue
        set(command, option, inFolder(name, value, dirname(path)), `${cleanLine(path)}: ${name}`)
        break
      }
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

/** Ends the command for an unknown option: it may be a misspelled one that limits spending. */
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

/** Paths are relative to the folder of the config file. A store may be a URL, and a reader a package. */
function inFolder(name: string, value: OptionValue, folder: string): OptionValue {
  const whole = <T extends OptionValue>(one: T): T | string => {
    if (typeof one !== 'string' || !['store', 'prices', 'redact-env', 'reader'].includes(name)) return one
    const isPath = name === 'reader' ? isModulePath(one) : !one.includes('://')
    return isPath ? resolve(folder, one) : one
  }
  return typeof value === 'object' ? value.map(whole) : whole(value)
}

/** Whether a module is named by its path; a package is named otherwise. */
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
