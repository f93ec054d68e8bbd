import { singleSpaced } from '../../session/clean-text.ts'
import { fieldsOf } from '../../session/json-values.ts'
import { joinFolders, type ShellRun } from '../../shell/shell-runs.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import type { CommandFact } from '../facts.ts'
import { fileTouches, namedFiles } from '../files/file-touches.ts'
import { isPatch, patchTouches } from '../files/patch-touches.ts'
import type { PathNormalizer } from '../log-path.ts'

type Purpose = NonNullable<CommandFact['purpose']>

/** Checks that fail for the same reasons: code that builds has passed the type checker. */
const families: Readonly<Record<Purpose, string>> = {
  test: 'test',
  lint: 'lint',
  build: 'compile',
  typecheck: 'compile',
}

// What must be done before the work counts, no matter by which program.
const goals: readonly (readonly [goal: string, program: RegExp])[] = [
  ['install JavaScript packages', /^(?:npm|pnpm|yarn|bun) (?:i|in|install|add|ci|update|upgrade)$|^yarn$/],
  [
    'install Python packages',
    /(?:^|\s)(?:pip3?|uv pip|uv|poetry|pipenv|pdm|conda|pipx)(?: pip)? (?:install|add|sync)$/,
  ],
  ['install system packages', /^(?:apt|apt-get|brew|dnf|yum|apk|pacman|choco|winget|scoop)(?: \S+)?$/],
  [
    'install modules',
    /^(?:go (?:get|install|mod \w+)|cargo (?:add|install)|bundle install|gem install|composer (?:install|require|update)|dotnet (?:add|restore))$/,
  ],
  ['bring changes together', /^git (?:merge|rebase|pull|cherry-pick|revert|am|stash\b.*)$/],
  ['commit', /^git commit$/],
  ['push', /^git push$/],
  ['clone', /^git clone$/],
  ['tag', /^git tag$/],
  ['open a pull request', /^(?:gh pr|glab mr)\b/],
  ['release', /^(?:gh release|(?:npm|pnpm|yarn|bun|cargo|poetry|uv) publish|twine\b.*)\b/],
  [
    'deploy',
    /^(?:terraform|tofu|kubectl|helm|flyctl|fly|vercel|wrangler|heroku|cdk|pulumi|serverless|sls)\b/,
  ],
  ['build an image', /^(?:docker|podman) (?:build|buildx|push|compose)\b/],
  ['migrate', /\b(?:migrate|alembic)\b/],
]

/** Returns the goal of a command, if the work does not count without it: `commit`, `install Python packages`. */
export function goalOf(program: string): string | undefined {
  return goals.find(([, pattern]) => pattern.test(program))?.[0]
}

/**
 * Returns the keys under which a later success resolves a failure of this command, or this success an earlier failure.
 */
export function commandKeys(command: CommandFact): string[] {
  return [`text ${singleSpaced(command.command)}`, ...programKeys(command.program, command.purpose)]
}

/** Returns the keys of a program: what it checks, its subcommand, its goal. */
export function programKeys(program: string, purpose: Purpose | undefined): string[] {
  const goal = goalOf(program)
  return [
    ...(purpose === undefined ? [] : [`check ${families[purpose]}`]),
    ...(purpose !== undefined || program.includes(' ') ? [`program ${program}`] : []),
    ...(goal === undefined ? [] : [`goal ${goal}`]),
    // A merge with conflicts ends with a commit.
    ...(goal === 'commit' ? ['goal bring changes together'] : []),
  ]
}

/** Returns the files of a patch given to a shell command, applied or not. */
export function patchedBy(run: ShellRun | undefined, normalize: PathNormalizer): string[] {
  return (run?.commands ?? []).flatMap(({ words, heredocs, folder }) => {
    const patch = /^apply_?patch$/.test(words[0] ?? '') ? [...heredocs, ...words].find(isPatch) : undefined
    const base = joinFolders(run?.folder, folder)
    return patchTouches(patch ?? '').map(({ path }) => `edit ${normalize(path, base) ?? path}`)
  })
}

/** Returns the files that a shell command changed: an earlier edit of them that failed was done this way. */
export function editsOf(use: ToolUse, run: ShellRun | undefined, normalize: PathNormalizer): string[] {
  if (run === undefined) return []
  return fileTouches(use, run)
    .filter(({ action }) => action === 'modify' || action === 'write')
    .map(({ path, folder }) => `edit ${normalize(path, folder) ?? path}`)
}

/** Returns the keys of a call that is not a shell command: the same files, or the same arguments. */
export function toolKeys(use: ToolUse, normalize: PathNormalizer): string[] {
  const files = namedFiles(use)
  if (files.length > 0) return files.map((file) => `${use.call.kind} ${normalize(file) ?? file}`)
  // Only flat arguments: nested ones may be too deep to serialize.
  const parts = Object.entries(fieldsOf(use.call.input)).map(([key, value]) =>
    typeof value === 'object' || String(value).length > 10_000 ? undefined : `${key}=${String(value)}`,
  )
  return parts.length === 0 || parts.includes(undefined) ? [] : [`${use.call.name} ${parts.join('\n')}`]
}

/** Returns the relative paths that a command's words name: the subject of a check. */
export function commandTargets(command: string): string[] {
  return (command.slice(0, 2000).match(/(?<![^\s'"])[\w.@-]*[/.][\w./@-]*/g) ?? [])
    .map((target) =>
      target
        .replace(/\.\.\.$/, '')
        .replace(/^\.\//, '')
        .replace(/\/$/, ''),
    )
    .filter((target) => !target.startsWith('/') && !target.startsWith('-') && !/^\d/.test(target))
}

/** False if both lists of targets are non-empty and share none. An empty list stands for all. */
export function shareTarget(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0) return true
  return a.some((one) => b.some((other) => covers(one, other) || covers(other, one)))
}

/** Whether targets include all others. An empty list stands for all. */
export function coversAll(targets: readonly string[], others: readonly string[]): boolean {
  if (targets.length === 0) return true
  return others.length > 0 && others.every((other) => targets.some((target) => covers(target, other)))
}

function covers(whole: string, part: string): boolean {
  return whole === '' || whole === '.' || whole === part || part.startsWith(`${whole}/`)
}

/**
 * Options of test runners that select tests by name: `go test -run`, `pytest -k`, `mocha --grep`, `jest -t`. Not `make -k`
 * and `vitest --run`, which select nothing.
 */
const selecting =
  /(?:^|(?<!\bmake)\s)(?:--?grep|-g|-t|--test-?[nN]ame-?[pP]attern|-k|-run|--filter|--tests)(?:=|\s+)("[^"]{1,300}"|'[^']{1,300}'|[^\s-]\S{0,200})/

/** Returns the words of the names by which a command selects tests, in lower case; empty if it runs all. */
export function selectedNames(command: string): readonly string[] {
  const [, names = ''] = command.includes(' -') ? (selecting.exec(command.slice(0, 2000)) ?? []) : []
  return names.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_]{2,}/gu) ?? []
}

/** False if both selections are non-empty and no name begins like one of the other. */
export function shareNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0) return true
  return a.some((one) => b.some((other) => one.startsWith(other) || other.startsWith(one)))
}
