import { TenfoldError } from '@tenfold/core'
import { cleanLine, cleanText } from '@tenfold/core/internal'
import type { Command, Option } from 'commander'
import {
  applyOptionValues,
  configDigest,
  configName,
  projectConfig,
  readConfig,
  sharedOptions,
} from '../config/config-file.ts'
import { option } from '../options/option.ts'
import { storeOption } from '../options/options.ts'
import { allTrusted, distrust, rememberSaved, trust } from '../state/trust.ts'
import { assertLocalStore, openCheckpoints, openStore } from '../store/open-store.ts'
import { type Report, tableOf } from '../terminal/report.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { formatNumberOf } from '../terminal/text.ts'
import { defineCommand, type RunContext } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'trust',
  description:
    'Trust what may have come with a clone: a store, whose briefs hooks give to agents, or a config file.',
  arguments: [['[store]', 'folder of the store (default: the value of --store)']],
  options: [
    storeOption,
    option('--revoke', 'stop trusting it'),
    option('--list', 'list what is trusted', { conflicts: 'revoke' }),
    option(
      '--config',
      'trust the tenfold.config.json of this project until it or a file that it names changes',
      { conflicts: 'list' },
    ),
    option('--schema', 'print the JSON Schema of config files', { conflicts: ['list', 'config', 'revoke'] }),
  ],
  json: 'JSON',
  help: `
A store can come with a repository that you cloned, and anyone may have written it. Until you trust it, the hooks do not
give its briefs to your agents; all other commands say that it is not yours. A store that tenfold creates on this machine
is trusted from the start. What git pull adds to a trusted store later is marked, until you trust the store again.

Examples:
  tenfold trust                      the store of the project in this folder
  tenfold trust --list
  tenfold trust --config             the options in tenfold.config.json
  tenfold trust ~/src/shop/.agents/bundles --revoke`,
  async run({ schema, config, list, revoke = false, store: usual }, context, store = usual) {
    if (schema) context.terminal.printJson(configSchema(context.parent))
    else if (config) return await trustConfig(revoke, context)
    else if (list) return listTrusted()
    else return revoke ? revokeTrust(store, { store }) : await trustStore(store, context)
  },
})

async function trustStore(store: string, { terminal }: CommandContext): Promise<Report> {
  assertLocalStore(store, {
    remote: 'set TENFOLD_STORE to it, and the hooks use it',
    missing: ' A store that you create here is trusted from the start.',
  })
  const bundles = await (await openStore(store, terminal)).list()
  const checkpoints = await (await openCheckpoints(store, terminal)).list()
  const trusted = trust(store, 'user')
  const objects = [...bundles, ...checkpoints]
  rememberSaved(
    store,
    objects.map(({ key, sha256 }) => `${key} ${sha256}`),
  )
  const latest = bundles.at(-1)
  const about = latest && `; the newest is ${latest.id}: ${cleanLine(latest.title ?? latest.sessionId)}`
  return {
    json: { ...trusted, bundles: bundles.length },
    indent: 0,
    said: [
      `Trusted ${cleanLine(trusted.place)} with ${formatNumberOf(bundles.length, 'bundle')}${about ?? ''}.`,
      'The hooks give its briefs to agents that start there. To undo this: tenfold trust --revoke',
    ],
  }
}

/** Prints the file to be trusted, because it can decide where sessions are sent. */
async function trustConfig(revoke: boolean, { commandNames, parent }: RunContext): Promise<Report> {
  const found = projectConfig(process.cwd())
  if (found === undefined)
    throw new TenfoldError('no-config', `There is no ${configName} in this folder or above it.`)
  const { path, bytes } = found
  if (revoke) return revokeTrust(path, { config: path })
  // An invalid file would make every command fail, so it is checked first.
  const file = await readConfig(found, commandNames)
  for (const command of parent.commands) applyOptionValues(command, {}, [file])
  const { digest } = trust(path, 'user', await configDigest(found))
  return {
    json: { config: path, digest },
    lines: [cleanText(bytes.toString()).trimEnd()],
    said: [
      `Trusted ${cleanLine(path)} and the files that it names as they are now. To undo this: tenfold trust --config --revoke`,
    ],
  }
}

function revokeTrust(place: string, named: object): Report {
  const revoked = distrust(place)
  const said = `${cleanLine(place)} ${revoked ? 'is no longer trusted.' : 'was not trusted; nothing to change.'}`
  return { json: { ...named, revoked }, indent: 0, said: [said] }
}

function listTrusted(): Report {
  const trusted = allTrusted()
  return {
    json: trusted,
    table: tableOf(trusted, [
      ['SINCE', ({ since }) => since.slice(0, 10), { drop: 2 }],
      ['TRUSTED BECAUSE', ({ by }) => (by === 'made' ? 'created here' : 'you trusted it'), { drop: 1 }],
      ['PLACE', ({ place }) => place],
    ]),
    none: 'No store is trusted.',
  }
}

const one = { type: ['string', 'number'] }

function configSchema(program: Command): object {
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
