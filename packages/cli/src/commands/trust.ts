import { cleanLine, cleanText, TenfoldError } from '@tenfold/core'
import { type Command, Option } from 'commander'
import { configName, projectConfig, readConfig } from '../config/config-file.ts'
import { namesIn } from '../config/load-config.ts'
import { storeOption } from '../options/options.ts'
import { distrustConfig, trustConfig } from '../state/trusted-configs.ts'
import {
  distrustStore,
  holdsStore,
  isRemoteStore,
  type TrustedStore,
  trustedStores,
  trustStore,
} from '../state/trusted-stores.ts'
import { openStore } from '../store/open-store.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import { formatTable } from '../terminal/table.ts'
import type { Screen } from '../terminal/terminal.ts'

interface TrustOptions {
  readonly store: string
  readonly revoke?: true | undefined
  readonly list?: true | undefined
  readonly config?: true | undefined
  readonly json?: true | undefined
}

export function addCommand(program: Command, context: CommandContext): void {
  program
    .command('trust')
    .description(
      'Trust what may have come with a clone: a store, whose briefs hooks give to agents, or a config file.',
    )
    .argument('[store]', 'folder of the store (default: the value of --store)')
    .addOption(storeOption())
    .option('--revoke', 'stop trusting it')
    .addOption(new Option('--list', 'list the trusted stores').conflicts('revoke'))
    .addOption(
      new Option(
        '--config',
        'trust the tenfold.config.json of this project, as long as it stays as it is',
      ).conflicts('list'),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', trustHelp)
    .action(async (store: string | undefined, options: TrustOptions) => {
      const given = { ...options, store: store ?? options.store }
      if (given.config) trustProjectConfig(given, context.commandNames, context)
      else if (given.list) listTrusted(given, context)
      else if (given.revoke) revokeTrust(given, context)
      else await trust(given, context)
    })
}

async function trust({ store, json }: TrustOptions, { terminal }: CommandContext): Promise<void> {
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
  const trusted = trustStore(store, 'user')
  if (json) return terminal.print(toSafeJson({ ...trusted, bundles: bundles.length }))
  const latest = bundles.at(-1)
  const about =
    latest === undefined ? '' : `; the newest is ${latest.id}: ${cleanLine(latest.title ?? latest.sessionId)}`
  terminal.say(
    `Trusted ${cleanLine(trusted.place)} with ${formatNumberOf(bundles.length, 'bundle')}${about}.`,
  )
  terminal.say('The hooks give its briefs to agents that start there. To undo this: tenfold trust --revoke')
}

/** Prints the file that is trusted: it may say where sessions are sent. */
function trustProjectConfig(
  { revoke, json }: TrustOptions,
  commands: readonly string[],
  { terminal }: CommandContext,
): void {
  const found = projectConfig(process.cwd())
  if (found === undefined)
    throw new TenfoldError('no-config', `There is no ${configName} in this folder or above it.`)
  const { path, digest, bytes } = found
  const shown = cleanLine(path)
  if (revoke) {
    const revoked = distrustConfig(digest)
    const said = revoked ? `${shown} is no longer trusted.` : `${shown} was not trusted; nothing to change.`
    if (json) terminal.print(toSafeJson({ config: path, revoked }))
    else terminal.say(said)
  } else {
    // A file that no command could use would end every command.
    readConfig(found, namesIn(commands))
    trustConfig(digest, path)
    const said = `Trusted ${shown} as it is now. To undo this: tenfold trust --config --revoke`
    terminal.print(json ? toSafeJson({ config: path, digest }) : cleanText(bytes.toString()).trimEnd())
    if (!json) terminal.say(said)
  }
}

function revokeTrust({ store, json }: TrustOptions, { terminal }: CommandContext): void {
  const revoked = distrustStore(store)
  const shown = cleanLine(store)
  const said = revoked ? `${shown} is no longer trusted.` : `${shown} was not trusted; nothing to change.`
  if (json) terminal.print(toSafeJson({ store, revoked }))
  else terminal.say(said)
}

function listTrusted({ json }: TrustOptions, { terminal }: CommandContext): void {
  const stores = trustedStores()
  if (json) terminal.print(toSafeJson(stores, 2))
  else if (stores.length === 0) terminal.note('No store is trusted.')
  else terminal.print(trustTable(stores, terminal).join('\n'))
}

function trustTable(stores: readonly TrustedStore[], { style, columns: width }: Screen): string[] {
  const columns = [{ title: 'SINCE', drop: 2 }, { title: 'BY', drop: 1 }, { title: 'STORE' }]
  const rows = stores.map(({ since, by, place }) => [since.slice(0, 10), reason[by], cleanLine(place)])
  const [head = '', ...lines] = formatTable(columns, rows, width)
  return [style.dim(head), ...lines]
}

const reason: Record<TrustedStore['by'], string> = { made: 'made here', user: 'you' }

const trustHelp = `
A store can come with a repository that you cloned, and anyone may have written it. Until you trust it, the hooks do not
give its briefs to your agents; all other commands work. A store that tenfold creates on this machine is trusted from
the start.

Examples:
  tenfold trust                      the store of the project in this folder
  tenfold trust --list
  tenfold trust --config             the options in tenfold.config.json
  tenfold trust ~/src/shop/.agents/bundles --revoke`
