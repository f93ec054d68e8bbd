import { purposeOf } from './check-purpose.ts'
import { commandPurpose, type Purpose } from './command-purpose.ts'
import { splitRunner } from './command-runners.ts'
import { isLookingCmdlet, onlyLooks } from './looking-programs.ts'
import type { SimpleCommand } from './shell-words.ts'
import { programName } from './shell-wrappers.ts'

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

const silent = names(
  'cd pushd popd echo printf export set unset source . sleep true false : exit return wait trap alias shopt ulimit read pwd clear break continue local declare typeset mkdir Set-Location Write-Output Write-Host Join-Path foreach elseif try catch finally param',
)
const lookers = names(
  'cat bat ls ll dir tree head tail less more nl wc grep egrep fgrep rg ag ack sed awk gawk sort uniq tr cut tee xargs jq yq column paste diff cmp find fd stat file du df test [ [[ which type command whoami env printenv date basename dirname realpath readlink tac rev hexdump xxd strings comm fold md5sum sha256sum shasum seq lsof ps Out-String',
)
const placers = names(
  'rm cp mv touch chmod chown ln mktemp kill pkill killall mkfifo rmdir Remove-Item Copy-Item Move-Item New-Item',
)

// Programs that take a subcommand, with those of their options that take a value and come before it.
const subcommanded = new Map<string, readonly string[]>([
  ['git', ['-C', '-c', '--git-dir', '--work-tree']],
  ['npm', ['--prefix', '-w', '--workspace', '-C']],
  ['pnpm', ['--filter', '-F', '-C', '--dir']],
  ['yarn', ['--cwd']],
  ['bun', ['--cwd', '--filter']],
  ['make', ['-C', '-f', '-I']],
  ['docker', ['-H', '--context']],
  ['gh', ['-R', '--repo']],
  ['go', ['-C']],
  ['uv', ['--project', '--directory']],
  ['gradle', ['-p']],
  ['mvn', ['-f', '-pl', '-P']],
  ['kubectl', ['-n', '--namespace', '--context']],
  ...'glab deno cargo docker-compose podman helm mise just task rake rails mix dotnet swift zig poetry pip pip3 pipx pdm hatch terraform tofu aws gcloud az brew apt apt-get dnf yum systemctl flyctl fly heroku vercel wrangler supabase prisma bazel nx turbo lerna rush composer bundle gem flutter dart sbt stack cabal lein nix conda golangci-lint ruff biome vite next nuxt astro ng playwright cypress vitest react-router react-scripts drizzle-kit changeset changie tmux launchctl redis-cli op gt jj hg svn sl cmake meson dune forge hardhat gradlew mvnw lefthook husky pre-commit buf sqlc goose migrate alembic flask django-admin celery ansible vagrant expo eas ionic cap pod fastlane xcrun rustup nvm fnm volta asdf pyenv rbenv entire claude codex gemini tofu'
    .split(' ')
    .map((name) => [name, []] as const),
])
// Subcommands that have subcommands.
const nested = new Map<string, RegExp>([
  ['npm', /^(?:run|run-script)$/],
  ['pnpm', /^run$/],
  ['yarn', /^run$/],
  ['bun', /^run$/],
  ['deno', /^(?:run|task)$/],
  ['mise', /^run$/],
  ['uv', /^pip$/],
  ['docker', /^(?:compose|image|container|volume|network|buildx)$/],
  ['gh', /^(?:pr|issue|run|repo|release|workflow|auth|project)$/],
  ['go', /^(?:mod|tool|work)$/],
  ['cargo', /^nextest$/],
  ['git', /^(?:stash|worktree|remote|submodule|bisect)$/],
  ['aws', /^\w/],
  ['gcloud', /^\w/],
])
const scriptRunners =
  /^(?:node|python(?:\d(?:\.\d+)?)?|py|ruby|perl|php|bash|sh|zsh|tsx|ts-node|osascript|Rscript|lua|elixir)$/

/** Returns program and subcommand of a command, without its options and arguments: `git commit`, `npm run build`. */
export function commandProgram(words: readonly string[], depth = 0): string {
  const runner = depth > 3 ? undefined : splitRunner(words)
  if (runner !== undefined) return `${runner.label} ${commandProgram(runner.rest, depth + 1)}`
  const first = words[0] ?? ''
  const program = programName(first)
  const base = program.replace(/^\.\//, '').replace(/\.(?:exe|cmd|bat)$/, '')
  if (scriptRunners.test(base)) {
    const script = words.slice(1).find((word) => !word.startsWith('-'))
    // `-c` and `-e` take code, not a script.
    const code = words.slice(1).some((word) => /^-(?:c|e|p|pe|ne|r|-eval|-print)$/.test(word))
    return script === undefined || code || !isName(script) ? program : `${program} ${script}`
  }
  const values = subcommanded.get(base) ?? (first.startsWith('./') && !base.includes('.') ? [] : undefined)
  if (values === undefined) return program
  const found: string[] = []
  for (let at = 1; at < words.length && found.length < 2; at += 1) {
    const word = words[at] ?? ''
    if (values.includes(word)) at += 1
    else if (!/^[-+]/.test(word) && !/^\w+=/.test(word)) {
      if (!isName(word) || (!subcommanded.has(base) && /[./\\]/.test(word))) break
      found.push(word)
      if (!(nested.get(base)?.test(word) ?? false)) break
    }
  }
  return [program, ...found].join(' ')
}

/** Whether a command only shows or filters existing things. */
export function isLooker(words: readonly string[]): boolean {
  const program = programName(words[0] ?? '')
  return lookers.has(program) || silent.has(program) || onlyLooks(commandProgram(words))
}

/** Whether a program is known for builds, tests, or work on files and repositories. */
export function isKnownProgram(name: string): boolean {
  const base = name.replace(/^\.\//, '').replace(/\.(?:exe|cmd|bat)$/, '')
  return (
    subcommanded.has(base) ||
    lookers.has(base) ||
    placers.has(base) ||
    scriptRunners.test(base) ||
    further.has(base) ||
    commandPurpose([base]) !== undefined ||
    splitRunner([base, 'x']) !== undefined
  )
}

const further = names(
  'curl wget ssh scp rsync psql mysql sqlite3 mongosh redis-server tar zip unzip sudo nohup env time open xdg-open code gcc g++ clang java javac source mkdir cd systemctl journalctl crontab nginx ffmpeg pandoc xcodebuild adb emulator',
)

function isName(word: string): boolean {
  return word.length <= 100 && /^[\w@.:/\\+~-]+$/.test(word)
}

const purposeRank: Readonly<Record<Purpose, number>> = { test: 9, build: 8, typecheck: 7, lint: 6 }

/**
 * Returns the position of the command that a command line is about: a check, otherwise a command that does something,
 * otherwise one that only looks or filters, otherwise `cd` or `echo`. Of several that look the first counts, of others
 * the last. -1 if there is none.
 */
export function decisiveCommand(commands: readonly SimpleCommand[]): number {
  let best = -1
  let bestRank = -1
  for (const [index, command] of commands.entries()) {
    const program = programName(command.words[0] ?? '')
    if (program === '') continue
    const rank = rankOf(command, program)
    if (rank > bestRank || (rank === bestRank && rank >= 2)) {
      best = index
      bestRank = rank
    }
  }
  return best
}

function rankOf(command: SimpleCommand, program: string): number {
  const purpose = purposeOf(command)
  if (purpose !== undefined) return purposeRank[purpose]
  if (silent.has(program) || !isName(program) || /^(?:[.$]\w|-)/.test(program)) return 0
  if (lookers.has(program) || isLookingCmdlet(program)) return 1
  if (placers.has(program)) return 3
  if (command.joiner === '|') return 2
  // `git commit -m a && git status`
  const isLook = program === 'git' && command.joiner === '&&' && onlyLooks(commandProgram(command.words))
  return isLook ? 3 : 4
}
