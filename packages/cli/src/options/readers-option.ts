import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defaultReaders, defineReader, type Reader } from '@tenfold/core'
import { type Command, Option } from 'commander'
import { isModulePath } from '../config/option-values.ts'
import { messageOf } from '../terminal/thrown.ts'
import { maxLogSizeOption } from './max-log-size.ts'

/** Options for reading logs. */
export interface ReaderOptions {
  readonly format?: string | undefined
  /** Paths of modules that each export a reader. */
  readonly reader?: readonly string[] | undefined
  /** In bytes. */
  readonly maxLogSize?: number | undefined
}

export function addReaderOptions(command: Command): void {
  command
    .option('--format <reader>', 'read logs as this format instead of detecting it from their content')
    .addOption(readerOption())
    .addOption(maxLogSizeOption())
}

export function readerOption(): Option {
  return new Option(
    '--reader <module>',
    'a JavaScript module that exports your own reader; may be repeated',
  ).argParser((value: string, before: readonly string[] = []) => [...before, value])
}

/**
 * The readers that the given modules export, then the built-in ones. Ends the command as wrong usage if a module
 * exports no reader or if `--format` names an unknown format.
 */
export async function readersOf(options: ReaderOptions, command: Command): Promise<readonly Reader[]> {
  const own: Reader[] = []
  for (const module of options.reader ?? []) {
    try {
      own.push(await loadReader(module))
    } catch (error) {
      command.error(`error: --reader ${module}: ${messageOf(error)}`)
    }
  }
  const readers = [...own, ...defaultReaders]
  const names = readers.map(({ name }) => name)
  if (options.format !== undefined && !names.includes(options.format))
    command.error(
      `error: expected one of ${names.join(', ')} for --format, got ${JSON.stringify(options.format)}`,
    )
  return readers
}

async function loadReader(module: string): Promise<Reader> {
  const url = isModulePath(module) ? pathToFileURL(resolve(module)).href : module
  const loaded: unknown = await import(url)
  const { default: main, reader = main } = loaded as { default?: unknown; reader?: unknown }
  const recipe = { module: url, name: reader === main ? 'default' : 'reader' }
  if (typeof reader !== 'object' || reader === null)
    throw new Error('it exports no reader; expected "export default defineReader({ … })"')
  return { recipe, ...defineReader(reader as Reader) }
}
