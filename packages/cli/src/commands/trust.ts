import { TenfoldError } from '@tenfold/core'
import { cleanLine, cleanText } from '@tenfold/core/internal'
import { configDigest, configName, projectConfig, readConfig } from '../config/config-file.ts'
import { configSchema } from '../config/config-schema.ts'
import { applyOptionValues } from '../config/option-values.ts'
import { option, type ValuesOf } from '../options/option.ts'
import { storeOption } from '../options/options.ts'
import {
  allTrusted,
  distrust,
  holdsStore,
  isRemoteStore,
  rememberSaved,
  type Trusted,
  trust,
} from '../state/trust.ts'
import { openCheckpoints } from '../store/open-checkpoints.ts'
import { openStore } from '../store/open-store.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import { printTable } from '../terminal/table.ts'
import type { CommandContext, Terminal } from '../terminal/terminal.ts'
import { defineCommand, type RunContext } from './define-command.ts'

const options = [
  storeOption,
  option('--revoke', 'stop trusting it'),
  option('--list', 'list what is trusted', { conflicts: 'revoke' }),
  option(
    '--config',
    'trust the tenfold.config.json of this project, as long as it and the files that it names stay as they are',
    { conflicts: 'list' },
  ),
  option('--schema', 'print the JSON Schema of config files', { conflicts: ['list', 'config', 'revoke'] }),
  option('--json', 'print JSON'),
] as const

type TrustOptions = ValuesOf<typeof options>

export const addCommand = defineCommand({
  name: 'trust',
  description:
    'Trust what may have come with a clone: a store, whose briefs hooks give to agents, or a config file.',
  arguments: [['[store]', 'folder of the store (default: the value of --store)']],
  options,
  help: `
A store can come with a repository that you cloned, and anyone may have written it. Until you trust it, the hooks do not
give its briefs to your agents; all other commands say that it is not yours. A store that tenfold creates on this machine
is trusted from the start. What git pull adds to a trusted store later is marked, until you trust the store again.

Examples:
  tenfold trust                      the store of the project in this folder
  tenfold trust --list
  tenfold trust --config             the options in tenfold.config.json
  tenfold trust ~/src/shop/.agents/bundles --revoke`,
  async run(given, context, store = given.store) {
    if (given.schema) context.terminal.printJson(configSchema(context.parent))
    else if (given.config) await trustProjectConfig(given, context)
    else if (given.list) listTrusted(given, context)
    else if (given.revoke) revokeTrust(store, { store }, given, context.terminal)
    else await trustStore(store, given, context)
  },
})

async function trustStore(
  store: string,
  { json }: TrustOptions,
  { terminal }: CommandContext,
): Promise<void> {
  const shown = cleanLine(store)
  if (isRemoteStore(store))
    throw new TenfoldError(
      'not-a-folder',
      `${shown} is not a folder; set TENFOLD_STORE to it, and the hooks use it.`,
    )
  if (!holdsStore(store))
    throw new TenfoldError(
      'no-store',
      `There is no store in ${shown}. A store that you create here is trusted from the start.`,
    )
  const bundles = await (await openStore(store, terminal)).list()
  const checkpoints = await (await openCheckpoints(store, terminal)).list()
  const trusted = trust(store, 'user')
  rememberSaved(
    store,
    [...bundles, ...checkpoints].map(({ key, sha256 }) => `${key} ${sha256}`),
  )
  if (json) return terminal.printJson({ ...trusted, bundles: bundles.length })
  const latest = bundles.at(-1)
  const about =
    latest === undefined ? '' : `; the newest is ${latest.id}: ${cleanLine(latest.title ?? latest.sessionId)}`
  terminal.say(
    `Trusted ${cleanLine(trusted.place)} with ${formatNumberOf(bundles.length, 'bundle')}${about}.`,
  )
  terminal.say('The hooks give its briefs to agents that start there. To undo this: tenfold trust --revoke')
}

/** Prints the file that is trusted: it may say where sessions are sent. */
async function trustProjectConfig(
  options: TrustOptions,
  { terminal, commandNames, parent }: RunContext,
): Promise<void> {
  const { revoke, json } = options
  const found = projectConfig(process.cwd())
  if (found === undefined)
    throw new TenfoldError('no-config', `There is no ${configName} in this folder or above it.`)
  const { path, bytes } = found
  if (revoke) {
    revokeTrust(path, { config: path }, options, terminal)
    return
  }
  // A file that no command could use would end every command.
  const file = await readConfig(found, commandNames)
  for (const command of parent.commands) applyOptionValues(command, {}, [file])
  const { digest } = trust(path, 'user', await configDigest(found))
  terminal.print(json ? toSafeJson({ config: path, digest }) : cleanText(bytes.toString()).trimEnd())
  if (!json)
    terminal.say(
      `Trusted ${cleanLine(path)} and the files that it names as they are now. To undo this: tenfold trust --config --revoke`,
    )
}

function revokeTrust(place: string, named: object, { json }: TrustOptions, terminal: Terminal): void {
  const revoked = distrust(place)
  const said = revoked ? 'is no longer trusted.' : 'was not trusted; nothing to change.'
  if (json) terminal.printJson({ ...named, revoked })
  else terminal.say(`${cleanLine(place)} ${said}`)
}

function listTrusted({ json }: TrustOptions, { terminal }: CommandContext): void {
  const stores = allTrusted()
  if (json) terminal.printJson(stores, 2)
  else if (stores.length === 0) terminal.note('No store is trusted.')
  else {
    const columns = [{ title: 'SINCE', drop: 2 }, { title: 'BY', drop: 1 }, { title: 'PLACE' }]
    const rows = stores.map(({ since, by, place }) => [since.slice(0, 10), reason[by], cleanLine(place)])
    printTable(terminal, columns, rows)
  }
}

const reason: Record<Trusted['by'], string> = { made: 'made here', user: 'you' }
