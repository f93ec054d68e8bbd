import { script } from '@bomb.sh/tab'
import { haltIds } from '@tenfold/core/internal'
import { sourceAgents } from '@tenfold/core/readers'
import type { Command, Option } from 'commander'
import { isRemoteStore } from '../state/trust.ts'
import { openStorage, openStore } from '../store/open-store.ts'
import { defaultStore } from '../store/project-store.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { unlessFaulty } from '../terminal/thrown.ts'
import { defineCommand } from './define-command.ts'

/** Adds `completion`, and the hidden `complete` that its scripts call, for the commands added to the program before. */
export function addCommand(program: Command, context: CommandContext): void {
  defineCommand({
    name: 'completion',
    description: 'Print a script that completes commands, options and their values in a shell.',
    arguments: [['<shell>', 'Shell type for completion script', ['zsh', 'bash', 'fish', 'powershell']]],
    help: `
Examples:
  echo 'source <(tenfold completion bash)' >> ~/.bashrc
  echo 'source <(tenfold completion zsh)' >> ~/.zshrc
  tenfold completion fish > ~/.config/fish/completions/tenfold.fish`,
    run: (_, { terminal }, shell) =>
      shell === 'bash' ? terminal.write(bashScript) : script(shell, 'tenfold', 'tenfold'),
  })(program, context)
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { typed, proposals } = await propose(program, words, context)
      const lines = [...(proposals ?? [])].filter(([value]) => value.startsWith(typed))
      context.terminal.write(lines.map(([value, about]) => `${value}\t${about}\n`).join(''))
      // The scripts let the shell complete file names unless the directive is 4.
      context.terminal.print(proposals === undefined ? ':0' : ':4')
    })
}

type Proposals = ReadonlyMap<string, string>

/** Completions of the last word. If undefined, the shell completes file names. */
async function propose(program: Command, words: readonly string[], context: CommandContext) {
  let command = program
  let awaited: Option | undefined
  let position = 0
  for (const word of words.slice(0, -1)) {
    const inner = command.commands.find((each) => [each.name(), ...each.aliases()].includes(word))
    if (awaited !== undefined) awaited = undefined
    else if (word.startsWith('-')) awaited = optionOf(command, word)
    else if (inner !== undefined && position === 0) command = inner
    else position += 1
  }
  const last = words.at(-1) ?? ''
  const [, flag = '', value] = /^(--[^=]+)=(.*)$/.exec(last) ?? []
  const option = awaited ?? optionOf(command, flag)
  const typed = value ?? last
  if (option !== undefined)
    return {
      typed,
      proposals: await valuesOf(option.attributeName(), option.flags, option.argChoices, context),
    }
  const help = command.createHelp()
  if (typed.startsWith('-')) {
    const options = help.visibleOptions(command)
    return { typed, proposals: new Map(options.map(({ long, description }) => [long ?? '', description])) }
  }
  const inner = position === 0 ? help.visibleCommands(command) : []
  if (inner.length > 0)
    return {
      typed,
      proposals: new Map(inner.map((each) => [each.name(), each.summary() || each.description()])),
    }
  const { registeredArguments } = command
  const argument = registeredArguments[position] ?? registeredArguments.findLast(({ variadic }) => variadic)
  if (argument === undefined) return { typed, proposals: new Map() }
  return { typed, proposals: await valuesOf(argument.name(), argument.name(), argument.argChoices, context) }
}

function optionOf(command: Command, word: string): Option | undefined {
  const found = command.options.find(({ short, long }) => short === word || long === word)
  return found?.required || found?.optional ? found : undefined
}

const newestIds = 50

const paths = /\b(?:file|folder|dir|path|log|what|store|module|glob|repository)\b/

/** Undefined if the value is a file name. */
async function valuesOf(
  name: string,
  flags: string,
  choices: readonly string[] | undefined,
  context: CommandContext,
): Promise<Proposals | undefined> {
  if (choices !== undefined) return new Map(choices.map((choice) => [choice, '']))
  if (name === 'agent' && !flags.includes('<id>')) return new Map(sourceAgents.map(({ name }) => [name, '']))
  const place = process.env.TENFOLD_STORE || defaultStore()
  if (!['track', 'bundle', 'previous', 'dump'].includes(name))
    return paths.test(flags) ? undefined : new Map()
  if (isRemoteStore(place)) return new Map()
  async function named(): Promise<Proposals> {
    if (name === 'dump') {
      const ids = await haltIds(await openStorage(place))
      return new Map(['LATEST', ...ids.reverse()].map((id) => [id, '']))
    }
    const store = await openStore(place, context.terminal)
    if (name === 'track') return new Map((await store.tracks()).map((track) => [track, '']))
    const entries = (await store.list({ limit: newestIds })).reverse()
    const newest = entries.map(({ id, title = '' }) => [id, title.replaceAll(/\s+/g, ' ')] as const)
    return new Map([['LATEST', ''], ...newest])
  }
  // A store that cannot be read gives no proposals.
  return await unlessFaulty(named(), new Map<string, string>())
}

// The scripts never run what was typed, but pass it to tenfold as words.
const bashScript = `# bash completion for tenfold
_tenfold() {
  local words proposal directive
  read -ra words <<< "\${COMP_LINE:0:COMP_POINT}"
  [[ \${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=('')
  COMPREPLY=()
  while IFS=$'\\t' read -r proposal _; do
    if [[ $proposal == :[0-9]* ]]; then directive=\${proposal#:}; else COMPREPLY+=("$proposal"); fi
  done < <(tenfold complete -- "\${words[@]:1}" 2>/dev/null)
  if [[ $directive == 0 ]]; then compopt -o default; else compopt +o default; fi 2>/dev/null
}
complete -F _tenfold tenfold
`
