import { Argument, type Command } from 'commander'
import { option, type Row, type ValuesOf } from '../options/option.ts'
import { oneOf } from '../options/parsers.ts'
import { printReport, type Report } from '../terminal/report.ts'
import type { CommandContext, ExitCode } from '../terminal/terminal.ts'

type AddCommand = (parent: Command, context: CommandContext) => void

export interface RunContext extends CommandContext {
  refuse(fault: string): never
  isDefault(name: string): boolean
  readonly parent: Command
}

/** An argument in commander's notation: `<log>`, `[log]`, `<log...>`. */
type ArgumentRow = readonly [
  flags: string,
  description: string,
  /** Listed in the help. `parse` returns one of them. */
  choices?: readonly string[],
  parse?: (value: string) => string,
]

type ArgumentValue<Flags> = Flags extends `${string}...${string}`
  ? string[]
  : Flags extends `[${string}`
    ? string | undefined
    : string

type ArgumentValues<Rows extends readonly ArgumentRow[]> = {
  -readonly [At in keyof Rows]: Rows[At][3] extends (value: string) => infer Parsed
    ? Parsed
    : ArgumentValue<Rows[At][0]>
}

interface Definition<Arguments extends readonly ArgumentRow[], Rows extends readonly Row<unknown>[]> {
  readonly name: string
  readonly alias?: string
  readonly description: string
  readonly arguments?: Arguments
  readonly options?: Rows
  readonly json?: string
  readonly help?: string
  /** Returns the first conflict between options that are each valid alone. */
  fault?(options: ValuesOf<Rows>, ...args: ArgumentValues<Arguments>): string | undefined
  run(
    options: ValuesOf<Rows>,
    context: RunContext,
    ...args: ArgumentValues<Arguments>
  ): Outcome | Promise<Outcome>
}

/** A report is printed. An exit code becomes the command's. */
// biome-ignore lint/suspicious/noConfusingVoidType: a command that returns nothing is done.
type Outcome = Report | ExitCode | undefined | void

export function defineCommand<
  const Arguments extends readonly ArgumentRow[] = [],
  const Rows extends readonly Row<unknown>[] = [],
>(definition: Definition<Arguments, Rows>): AddCommand {
  const { name, alias, description, json, help = '' } = definition
  const rows: readonly Row<unknown>[] = definition.options ?? []
  const first = rows.findIndex(({ heading }) => heading !== undefined)
  const jsonRow = json === undefined ? [] : [option('--json', `print ${json}`)]
  const options = first === -1 ? [...rows, ...jsonRow] : rows.toSpliced(first, 0, ...jsonRow)
  return (parent, context) => {
    const command = withHelp(parent.command(name).description(description), help, context)
    if (alias !== undefined) command.alias(alias)
    for (const [flags, about, choices, parse] of definition.arguments ?? []) {
      const argument = new Argument(flags, about)
      const parser = parse ?? (choices && oneOf(choices))
      if (parser !== undefined) argument.argParser(parser)
      if (choices !== undefined) argument.argChoices = [...choices]
      command.addArgument(argument)
    }
    for (const { make, heading } of options) {
      if (heading !== undefined) command.optionsGroup(heading)
      if (make !== undefined) command.addOption(make())
    }
    command.showHelpAfterError(
      `Usage: ${command.createHelp().commandUsage(command)}   (--help: options and examples)`,
    )
    const refuse = (fault: string): never => command.error(`error: ${fault}`)
    const isDefault = (option: string) => command.getOptionValueSource(option) === 'default'
    command.action(async (...given: unknown[]) => {
      const args = given.slice(0, -2) as ArgumentValues<Arguments>
      const values = command.opts() as ValuesOf<Rows>
      const faults = options.map((row) => row.fault?.(command.opts()))
      const empty = command.registeredArguments.find((_, at) => [given[at]].flat().includes(''))
      if (empty !== undefined) refuse(`expected a value for <${empty.name()}>, got an empty text`)
      const fault = definition.fault?.(values, ...args) ?? faults.find((each) => each !== undefined)
      if (fault !== undefined) refuse(fault)
      const completed = { ...values }
      for (const { complete } of options) Object.assign(completed, await complete?.(command.opts(), refuse))
      const run = { ...context, refuse, isDefault, parent }
      const outcome = await definition.run(completed, run, ...args)
      if (outcome === undefined) return
      context.finish(typeof outcome === 'object' ? printReport(context.terminal, outcome) : outcome)
    })
  }
}

/** Adds the text of `--help`. For `-h`, shortens each option's description to its beginning instead. */
function withHelp(command: Command, help: string, { shortHelp }: CommandContext): Command {
  if (!shortHelp) return command.addHelpText('after', help)
  const shortened = ({ description }: { readonly description: string }) =>
    description.split(/[:;(]/, 1)[0] ?? ''
  return command
    .configureHelp({ optionDescription: shortened, argumentDescription: shortened })
    .addHelpText('after', '\nMore of each, and examples: --help')
}

export function defineGroup(
  { name, description, help }: { readonly name: string; readonly description: string; readonly help: string },
  commands: readonly AddCommand[],
): AddCommand {
  return (parent, context) => {
    const group = withHelp(parent.command(name).description(description), help, context)
    for (const add of commands) add(group, context)
  }
}
