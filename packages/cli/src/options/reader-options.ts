import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Reader } from '@tenfold/core'
import { defaultReaders, defineReader } from '@tenfold/core/readers'
import { isModulePath } from '../config/option-values.ts'
import { errorCode, messageOf } from '../terminal/thrown.ts'
import { option, optionOf, type Row } from './option.ts'
import { maxLogSizeOption } from './options.ts'
import { listOf } from './parsers.ts'

export interface Reading {
  readonly readers: readonly Reader[]
  readonly format?: string | undefined
  readonly maxLogBytes?: number | undefined
}

interface GivenReading {
  readonly reader?: readonly string[]
  readonly format?: string
  readonly maxLogSize?: number
}

/** `--reader`: a command with it gets `reading`. */
function readerOption(fields: (given: GivenReading) => GivenReading): Row<{ readonly reading: Reading }> {
  return {
    ...optionOf('--reader <module>', 'a JavaScript module that exports your own reader; may be repeated', {
      parse: listOf(String),
    }),
    complete: async (given, refuse) => ({ reading: await readingOf(fields(given), refuse) }),
  }
}

export const readerOnlyOption = readerOption(({ reader = [] }) => ({ reader }))

export const readerOptions = [
  option('--format <reader>', 'format of the logs (default: detected from their content)'),
  readerOption((given) => given),
  maxLogSizeOption,
] as const

type Refuse = (fault: string) => never

/** The given modules' readers come first. */
async function readingOf(
  { reader: modules = [], format, maxLogSize }: GivenReading,
  refuse: Refuse,
): Promise<Reading> {
  const own: Reader[] = []
  for (const module of modules) {
    try {
      own.push(await loadReader(module))
    } catch (error) {
      // A module that it imports itself may be missing too.
      const named = `'${isModulePath(module) ? resolve(module) : module}'`
      const isMissing = errorCode(error) === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes(named)
      refuse(`--reader ${module}: ${isMissing ? 'no such file or package' : messageOf(error)}`)
    }
  }
  const readers = [...own, ...defaultReaders]
  const names = readers.map(({ name }) => name)
  if (format !== undefined && !names.includes(format))
    refuse(`expected one of ${names.join(', ')} for --format, got ${JSON.stringify(format)}`)
  return { readers, format, maxLogBytes: maxLogSize }
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
