import { Option } from 'commander'
import { listOf, oneOf } from './parsers.ts'

/** One row of a table of options: an option for commander, or a heading. Its type has the fields that it sets. */
export interface Row<Fields> {
  /** Makes a new option for each command, because commander stores the heading in it. */
  readonly make?: () => Option
  readonly heading?: string
  /** Returns the first conflict between this option and others. */
  fault?(values: Readonly<Record<string, unknown>>): string | undefined
  /** Adds fields derived from the given values. */
  complete?(values: Readonly<Record<string, unknown>>, refuse: (fault: string) => never): Promise<object>
  readonly fields?: Fields
}

export type ValuesOf<Rows extends readonly Row<unknown>[]> = (
  Rows[number] extends infer Each
    ? Each extends Row<infer Fields>
      ? (fields: Fields) => void
      : never
    : never
) extends (all: infer All) => void
  ? { readonly [Name in keyof All]: All[Name] }
  : never

interface Settings {
  /** A method, so that a repeatable option's parser may declare the type of `before`, its previous value. */
  parse?(value: string, before?: unknown): unknown
  readonly choices?: readonly string[]
  readonly default?: unknown
  readonly shown?: string
  readonly env?: string
  readonly conflicts?: string | string[]
  readonly implies?: Readonly<Record<string, unknown>>
  readonly mandatory?: true
}

/** `--max-ratio <share>` gives `maxRatio`, `--no-redact` gives `redact`. */
type Name<Flags extends string> = Flags extends `${string}--no-${infer Long}`
  ? Camel<Word<Long>>
  : Flags extends `${string}--${infer Long}`
    ? Camel<Word<Long>>
    : never
type Word<Text extends string> = Text extends `${infer First} ${string}` ? First : Text
type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text

type Value<Flags extends string, Given> = Given extends { parse(...args: never[]): infer Parsed }
  ? Parsed
  : Flags extends `${string}...>`
    ? readonly OneOf<Given>[]
    : Flags extends `${string}>`
      ? OneOf<Given>
      : Flags extends `${string}--no-${string}`
        ? boolean
        : true
type OneOf<Given> = Given extends { readonly choices: readonly (infer Choice)[] } ? Choice : string

type FieldsOf<Flags extends string, Given> = Given extends { default: unknown } | { mandatory: true }
  ? { readonly [Key in Name<Flags>]: Value<Flags, Given> }
  : Flags extends `--no-${string}`
    ? { readonly [Key in Name<Flags>]: boolean }
    : { readonly [Key in Name<Flags>]?: Value<Flags, Given> | undefined }

/** An option. Its value is the result of `parse`, otherwise one of the `choices`, a text, or true for a flag. */
export function option<const Flags extends string, const Given extends Settings>(
  flags: Flags,
  description: string,
  given?: Given,
): Row<FieldsOf<Flags, Given>> {
  return optionOf(flags, description, given)
}

/** An option whose fields do not follow from its flags, such as one of the pair `--verify` and `--no-verify`. */
export function optionOf<Fields>(flags: string, description: string, given: Settings = {}): Row<Fields> {
  const make = (): Option => {
    const made = new Option(flags, description)
    if (given.default !== undefined) made.default(given.default, given.shown)
    const choices = given.choices && oneOf(given.choices)
    const parse = given.parse ?? (flags.endsWith('...>') ? choices && listOf(choices) : choices)
    if (parse !== undefined) made.argParser(parse)
    // Completion and help use the choices.
    if (given.choices !== undefined) made.argChoices = [...given.choices]
    if (given.env !== undefined) made.env(given.env)
    if (given.conflicts !== undefined) made.conflicts(given.conflicts)
    if (given.implies !== undefined) made.implies(given.implies)
    if (given.mandatory) made.makeOptionMandatory()
    return made
  }
  return { make }
}

export function heading(text: string): Row<unknown> {
  return { heading: text }
}
