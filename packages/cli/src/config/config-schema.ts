import type { Command, Option } from 'commander'
import { sharedOptions } from './config-file.ts'

const one = { type: ['string', 'number'] }

export function configSchema(program: Command): object {
  const { properties, ...section } = sectionSchema(program)
  const options = program.commands.flatMap((command) => command.options)
  const shared = sharedOptions.flatMap((name) => options.find(({ long }) => long === `--${name}`) ?? [])
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'tenfold.config.json',
    ...section,
    definitions: { value: { anyOf: [one, { type: 'array', items: one }] } },
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(shared.map(field)), ...properties },
  }
}

function sectionSchema(command: Command) {
  const inner = command.createHelp().visibleCommands(command)
  const sections = inner.filter((each) => each.name() !== 'help')
  const options = command.parent === null ? [] : command.options
  return {
    type: 'object',
    description: command.description(),
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(options.map(field)),
      ...Object.fromEntries(sections.map((each): [string, object] => [each.name(), sectionSchema(each)])),
    },
  }
}

function field(option: Option): [name: string, schema: object] {
  return [option.long?.slice(2) ?? '', { description: option.description, ...valueSchema(option) }]
}

function valueSchema(option: Option): object {
  if (option.isBoolean() || option.negate) return { type: 'boolean' }
  const { argChoices } = option
  if (argChoices === undefined) return { allOf: [{ $ref: '#/definitions/value' }] }
  const choice = { enum: argChoices }
  return option.variadic ? { anyOf: [choice, { type: 'array', items: choice }] } : choice
}
