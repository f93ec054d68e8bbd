import { splitRunner } from './command-runners.ts'
import { programName } from './shell-wrappers.ts'

/** What a check checks. */
export type Purpose = 'test' | 'build' | 'lint' | 'typecheck'

const test = 'test'
const build = 'build'
const lint = 'lint'
const typecheck = 'typecheck'

function table(...rows: readonly (readonly [Purpose, string])[]): ReadonlyMap<string, Purpose> {
  return new Map(rows.flatMap(([purpose, names]) => names.split(' ').map((name) => [name, purpose] as const)))
}

/** Programs that do one thing, whatever their arguments are. */
const programs = table(
  [
    test,
    'vitest jest mocha ava tape pytest py.test tox nox nose2 unittest rspec minitest phpunit pest ctest bats',
  ],
  [
    test,
    'karma cypress ginkgo gotestsum behave cucumber busted prove trial wtr Invoke-Pester testcafe robot',
  ],
  [lint, 'eslint prettier oxlint stylelint flake8 pylint black isort golangci-lint gofmt gofumpt goimports'],
  [
    lint,
    'staticcheck rustfmt shellcheck shfmt hadolint markdownlint markdownlint-cli2 rubocop standardrb phpcs',
  ],
  [
    lint,
    'phpcbf php-cs-fixer pint ktlint detekt swiftlint swiftformat clang-tidy clang-format cppcheck yamllint',
  ],
  [
    lint,
    'actionlint tflint commitlint knip dprint xo vale bandit pre-commit buf autopep8 yapf ansible-lint cpplint',
  ],
  [
    typecheck,
    'tsc vue-tsc svelte-check mypy dmypy pyright basedpyright pyre phpstan psalm dialyzer tsgo attw',
  ],
  [
    build,
    'ninja tsup tsdown rollup webpack esbuild parcel xcodebuild javac rustc gcc g++ clang clang++ cc hugo',
  ],
)

/** Programs whose first argument decides: `go test`, `ruff check`. */
const subcommands = new Map<string, ReadonlyMap<string, Purpose>>(
  Object.entries({
    go: table([test, 'test'], [build, 'build'], [lint, 'vet fmt']),
    cargo: table(
      [test, 'test t nextest miri'],
      [build, 'build b'],
      [lint, 'clippy fmt'],
      [typecheck, 'check c'],
    ),
    dotnet: table([test, 'test'], [build, 'build publish pack'], [lint, 'format']),
    swift: table([test, 'test'], [build, 'build']),
    zig: table([test, 'test'], [build, 'build'], [lint, 'fmt']),
    mix: table([test, 'test'], [build, 'compile'], [lint, 'format credo'], [typecheck, 'dialyzer']),
    deno: table([test, 'test'], [build, 'compile bundle'], [lint, 'lint fmt'], [typecheck, 'check']),
    flutter: table([test, 'test drive'], [build, 'build'], [lint, 'analyze format']),
    dart: table([test, 'test'], [build, 'compile'], [lint, 'analyze format']),
    ruff: table([lint, 'check format']),
    biome: table([lint, 'check lint format ci']),
    ty: table([typecheck, 'check']),
    srb: table([typecheck, 'tc']),
    flow: table([typecheck, 'check']),
    playwright: table([test, 'test']),
    node: table([test, '--test']),
    rails: table([test, 'test spec']),
    artisan: table([test, 'test']),
    forge: table([test, 'test'], [build, 'build'], [lint, 'fmt']),
    hardhat: table([test, 'test'], [build, 'compile']),
    terraform: table([lint, 'fmt validate']),
    tofu: table([lint, 'fmt validate']),
    vite: table([build, 'build']),
    next: table([build, 'build'], [lint, 'lint']),
    nuxt: table([build, 'build'], [typecheck, 'typecheck']),
    astro: table([build, 'build'], [typecheck, 'check']),
    ng: table([build, 'build'], [test, 'test e2e'], [lint, 'lint']),
    'react-router': table([build, 'build'], [typecheck, 'typegen']),
    docker: table([build, 'build buildx']),
    meson: table([build, 'compile'], [test, 'test']),
    bazel: table([build, 'build'], [test, 'test coverage']),
    stack: table([build, 'build'], [test, 'test']),
    cabal: table([build, 'build'], [test, 'test']),
    dune: table([build, 'build'], [test, 'test runtest']),
    lein: table([test, 'test'], [build, 'uberjar compile']),
    sbt: table([test, 'test testOnly'], [build, 'compile package assembly']),
    gleam: table([test, 'test'], [build, 'build'], [lint, 'format'], [typecheck, 'check']),
    mkdocs: table([build, 'build']),
    jekyll: table([build, 'build']),
    helm: table([lint, 'lint']),
    xcrun: table([build, 'xcodebuild']),
  }),
)

/** Programs that run a script or a target by a user-chosen name. */
const taskRunners =
  /^(?:npm|pnpm|yarn|bun|make|gmake|just|task|mise|rake|composer|turbo|nx|lerna|rush|wireit|grunt|gulp|poe|invoke|inv|hatch|pdm|(?:\.\/)?gradlew?(?:\.bat)?|(?:\.\/)?mvnw?(?:\.cmd)?|ant|nox|melos|moon|lage|vp|nps)$/
const notTasks =
  /^(?:i|in|install|add|remove|rm|uninstall|update|upgrade|up|ci|create|init|publish|pack|link|unlink|config|set|get|info|view|why|list|ls|outdated|audit|version|login|logout|whoami|cache|require|trust|use|settings|tasks|doctor|search|pm|store|help|prune|dedupe|rebuild|start|dev|serve)$/

const shells = /^(?:bash|sh|zsh|dash)$/
// Names of scripts that check something, or show whether a fault still exists.
const checkingScript =
  /(?:^|[/_.-])(?:tests?|check|verify|validate|validation|repro|reproduce|smoke|e2e)(?:[_.-]|$)|\.spec\./i
const interpreters = /^(?:node|python(?:\d(?:\.\d+)?)?|py|ruby|php|perl|deno|tsx|ts-node|bun)$/

/** Returns what a command checks, by its words; `undefined` if they do not say. Wrappers must already be removed. */
export function commandPurpose(words: readonly string[], depth = 0): Purpose | undefined {
  if (
    words.length === 0 ||
    depth > 4 ||
    words.slice(1).some((word) => /^(?:--help|--version|-h|--dry-run)$/.test(word)) ||
    (/^g?make$/.test(words[0] ?? '') && words.includes('-n'))
  ) {
    return undefined
  }
  const runner = splitRunner(words)
  if (runner !== undefined) return commandPurpose(runner.rest, depth + 1)
  const first = words[0] ?? ''
  const program = programName(first).replace(/\.(?:exe|cmd)$/, '')
  if (isBenchmark(program, words)) return undefined
  const direct = programs.get(program) ?? programs.get(program.replace(/@.*$/, ''))
  if (direct !== undefined) return direct

  const plain = words.slice(1).filter((word) => !/^(?:-|\+)/.test(word))
  const subs = subcommands.get(program)
  if (subs !== undefined) {
    const found = subs.get(plain[0] ?? '') ?? subs.get(words[1] ?? '')
    if (found !== undefined) return found
  }
  if (program === 'docker' || program === 'docker-compose' || program === 'podman')
    return containerPurpose(words, depth)
  if (taskRunners.test(program)) return taskPurpose(program.replace('./', ''), plain, depth)
  if (interpreters.test(program)) {
    const script = plain[0] === 'run' ? plain[1] : plain[0]
    if (script !== undefined && /(?:^|\/)manage\.py$|(?:^|\/)artisan$|(?:^|\/)setup\.py$/.test(script)) {
      return plain[1] === 'test' ? test : plain[1] === 'build' ? build : undefined
    }
    if (words[1] === '--check' || words.includes('py_compile')) return lint
    return script !== undefined && checkingScript.test(programName(script)) ? test : undefined
  }
  if (shells.test(program)) {
    if (words[1] === '-n' && plain[0] !== undefined) return lint
    return plain[0] === undefined ? undefined : scriptPurpose(plain[0])
  }
  if (program === 'cmake') return words.some((word) => /^(?:-E|-P|--install)$/.test(word)) ? undefined : build
  if (program === 'git') return plain[0] === 'diff' && words.includes('--check') ? lint : undefined
  return /[\\/]/.test(first) ? scriptPurpose(first) : undefined
}

/** A measurement of speed, which runs no test. */
function isBenchmark(program: string, words: readonly string[]): boolean {
  const has = (flag: RegExp) => words.some((word) => flag.test(word))
  if (program === 'go') return words[1] === 'test' && has(/^-bench/) && has(/^-run/)
  return program === 'cargo' && words[1] === 'bench'
}

function scriptPurpose(path: string): Purpose | undefined {
  // A program built into a scratch folder is the program itself.
  if (/^(?:\/private)?\/tmp\//.test(path)) return undefined
  return namePurpose(
    programName(path.replace(/^\.\//, '')).replace(/\.(?:sh|bash|ps1|cmd|bat|py|js|ts)$/, ''),
  )
}

function containerPurpose(words: readonly string[], depth: number): Purpose | undefined {
  const at = words.findIndex((word) => word === 'exec' || word === 'run')
  if (at < 0) return undefined
  for (let from = at + 2; from < Math.min(words.length, at + 10); from += 1) {
    const purpose = commandPurpose(words.slice(from), depth + 1)
    if (purpose !== undefined) return purpose
  }
  return undefined
}

function taskPurpose(program: string, plain: readonly string[], depth: number): Purpose | undefined {
  if (/^g?make$/.test(program) && plain.length === 0) return build
  if (notTasks.test(plain[0] ?? '')) return undefined
  const names = plain
    .filter((word) => !/^(?:run|run-script|run-many|workspace|affected|clean)$/.test(word))
    .slice(0, 5)
  for (const [index, name] of names.entries()) {
    // A file, an assignment: not a name of a task.
    if (/=|\.[a-z]{1,4}$/.test(name)) continue
    const known =
      (name === 'verify' && program.includes('mvn') ? test : programs.get(name)) ??
      (subcommands.has(name) ? commandPurpose(names.slice(index), depth + 1) : undefined)
    const purpose =
      known ??
      (name.includes('/') ? undefined : namePurpose(name, /make|gradle|mvn|mise|just|task/.test(program)))
    if (purpose !== undefined) return purpose
  }
  return undefined
}

const nameWords = new Map<string, Purpose>([
  ...table(
    [typecheck, 'typecheck tsc mypy pyright typescript'],
    [
      lint,
      'lint linter linting eslint format fmt prettier biome style clippy vet ruff stylelint ktlint spotless rubocop',
    ],
    [
      test,
      'test tests testing spec specs e2e vitest jest pytest unit integration coverage cov smoke ci t verify verification validate validation',
    ],
    [build, 'build compile bundle assemble package dist'],
  ),
])

/** Decides by the words of a user-chosen name: `test:unit`, `check-types`, `assembleDebug`. */
function namePurpose(name: string, checkIsTest = false): Purpose | undefined {
  const words = name
    .slice(0, 100)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
  const has = (word: string) => words.includes(word)
  if ((has('type') || has('types')) && (words.length === 1 || has('check') || has('test') || has('lint')))
    return typecheck
  for (const purpose of [typecheck, lint, test, build] as const) {
    if (words.some((word) => nameWords.get(word) === purpose)) return purpose
  }
  return has('check') || has('checks') ? (checkIsTest ? test : lint) : undefined
}
