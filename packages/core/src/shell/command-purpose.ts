import { namesOf, wordsByName } from './programs.ts'
import { programName, splitRunner, unwrapped } from './shell-runs.ts'
import type { SimpleCommand } from './shell-words.ts'

export type Purpose = 'test' | 'build' | 'lint' | 'typecheck'

/** In this order, because a name may have several purposes. */
const purposes = ['typecheck', 'lint', 'test', 'build'] as const

/** Purpose by program, `vitest`, or by program and subcommand, `go test`. */
const purposeByName = new Map(
  purposes.flatMap((purpose) =>
    [...wordsByName(purpose)].flatMap(([name, subs]) =>
      (subs.length === 0 ? [name] : subs.map((sub) => `${name} ${sub}`)).map(
        (key) => [key, purpose] as const,
      ),
    ),
  ),
)
/** Programs that run a script or a target by a user-chosen name. */
const taskRunners =
  /^(?:npm|pnpm|yarn|bun|make|gmake|just|task|mise|rake|composer|turbo|nx|lerna|rush|wireit|grunt|gulp|poe|invoke|inv|hatch|pdm|(?:\.\/)?gradlew?(?:\.bat)?|(?:\.\/)?mvnw?(?:\.cmd)?|ant|nox|melos|moon|lage|vp|nps)$/
const notTasks =
  /^(?:i|in|install|add|remove|rm|uninstall|update|upgrade|up|ci|create|init|publish|pack|link|unlink|config|set|get|info|view|why|list|ls|outdated|audit|version|login|logout|whoami|cache|require|trust|use|settings|tasks|doctor|search|pm|store|help|prune|dedupe|rebuild|start|dev|serve)$/

const shells = /^(?:bash|sh|zsh|dash)$/
// Names of scripts that check something, or reproduce a fault.
const checkingScript =
  /(?:^|[/_.-])(?:tests?|check|verify|validate|validation|repro|reproduce|smoke|e2e)(?:[_.-]|$)|\.spec\./i
const interpreters = /^(?:node|python(?:\d(?:\.\d+)?)?|py|ruby|php|perl|deno|tsx|ts-node|bun)$/

/** Returns the purpose of a command; `undefined` if its words do not show it. Wrappers must already be removed. */
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
  const direct = purposeByName.get(program) ?? purposeByName.get(program.replace(/@.*$/, ''))
  if (direct !== undefined) return direct

  const plain = words.slice(1).filter((word) => !/^(?:-|\+)/.test(word))
  const found =
    purposeByName.get(`${program} ${plain[0] ?? ''}`) ?? purposeByName.get(`${program} ${words[1] ?? ''}`)
  if (found !== undefined) return found
  if (taskRunners.test(program)) return taskPurpose(program.replace('./', ''), plain)
  if (interpreters.test(program)) {
    const script = plain[0] === 'run' ? plain[1] : plain[0]
    if (script !== undefined && /(?:^|\/)manage\.py$|(?:^|\/)artisan$|(?:^|\/)setup\.py$/.test(script)) {
      return plain[1] === 'test' || plain[1] === 'build' ? plain[1] : undefined
    }
    if (words[1] === '--check' || words.includes('py_compile')) return 'lint'
    return script !== undefined && checkingScript.test(programName(script)) ? 'test' : undefined
  }
  if (shells.test(program)) {
    if (words[1] === '-n' && plain[0] !== undefined) return 'lint'
    return plain[0] === undefined ? undefined : scriptPurpose(plain[0])
  }
  if (program === 'cmake')
    return words.some((word) => /^(?:-E|-P|--install)$/.test(word)) ? undefined : 'build'
  if (program === 'git') return plain[0] === 'diff' && words.includes('--check') ? 'lint' : undefined
  return /[\\/]/.test(first) ? scriptPurpose(first) : undefined
}

function isBenchmark(program: string, words: readonly string[]): boolean {
  const has = (flag: RegExp) => words.some((word) => flag.test(word))
  if (program === 'go') return words[1] === 'test' && has(/^-bench/) && has(/^-run/)
  return program === 'cargo' && words[1] === 'bench'
}

function scriptPurpose(path: string): Purpose | undefined {
  // A program built into a scratch folder is the program itself, not a check.
  if (/^(?:\/private)?\/tmp\//.test(path)) return undefined
  return namePurpose(
    programName(path.replace(/^\.\//, '')).replace(/\.(?:sh|bash|ps1|cmd|bat|py|js|ts)$/, ''),
  )
}

function taskPurpose(program: string, plain: readonly string[]): Purpose | undefined {
  if (/^g?make$/.test(program) && plain.length === 0) return 'build'
  if (notTasks.test(plain[0] ?? '')) return undefined
  const names = plain
    .filter((word) => !/^(?:run|run-script|run-many|workspace|affected|clean)$/.test(word))
    .slice(0, 5)
  for (const [index, name] of names.entries()) {
    // A file or an assignment is not the name of a task.
    if (/=|\.[a-z]{1,4}$/.test(name)) continue
    const known =
      name === 'verify' && program.includes('mvn')
        ? 'test'
        : (purposeByName.get(name) ?? purposeByName.get(`${name} ${names[index + 1] ?? ''}`))
    const purpose =
      known ??
      (name.includes('/') ? undefined : namePurpose(name, /make|gradle|mvn|mise|just|task/.test(program)))
    if (purpose !== undefined) return purpose
  }
  return undefined
}

/** Derives the purpose from the words of a user-chosen name: `test:unit`, `check-types`, `assembleDebug`. */
function namePurpose(name: string, checkIsTest = false): Purpose | undefined {
  const words = name
    .slice(0, 100)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
  const has = (word: string) => words.includes(word)
  if ((has('type') || has('types')) && (words.length === 1 || has('check') || has('test') || has('lint')))
    return 'typecheck'
  const named = purposes.find((purpose) => namesOf(`task ${purpose}`).some(has))
  return named ?? (has('check') || has('checks') ? (checkIsTest ? 'test' : 'lint') : undefined)
}

// Statements that stop a script if a condition is false, in several languages.
const asserts =
  /\bassert\b|\bthrow new \w*Error\b|\braise (?:AssertionError|SystemExit|ValueError|RuntimeError|Exception)\b|\b(?:process\.exit|sys\.exit|exit)\((?:1|code|failed|errors)|\|\| exit 1\b|\bdie\b/
const writes =
  /\b(?:writeFile|appendFile|unlink|rmSync|mkdir|write_text|write_bytes|os\.remove|shutil\.|File\.write|file_put_contents)|\bopen\([^)\n]{0,200},\s*['"][wa]/
const maxScriptLength = 20_000

/** Returns the purpose of a command, from its words or from the script that it was given. */
export function purposeOf(command: SimpleCommand | undefined): Purpose | undefined {
  if (command === undefined) return undefined
  return commandPurpose(command.words) ?? (isAssertion(command) ? 'test' : undefined)
}

/** Whether a command runs an inline script that changes no file and stops if a condition is false. */
function isAssertion({ words, heredocs }: SimpleCommand): boolean {
  const program = programName(words[0] ?? '')
  if (!interpreters.test(program) && !shells.test(program)) return false
  const flag = words.findIndex((word) => /^-(?:c|e|p|pe|-eval|-print)$/.test(word))
  const script = [...heredocs, ...(flag < 1 ? [] : [words[flag + 1] ?? ''])]
    .join('\n')
    .slice(0, maxScriptLength)
  return asserts.test(script) && !writes.test(script)
}

/**
 * Whether a command is a formatter, or a linter that fixes what it finds. Such a command changes files, and shows
 * little about their state.
 */
export function mendsFiles(started: readonly string[]): boolean {
  const words = unwrapped(started)
  const checks = words.some((word) => /^(?:--check|--list-different|-l|--diff|-d|--dry-run)$/.test(word))
  return (
    !checks &&
    words.some((word) =>
      /^(?:--fix|--write|--apply|-w|-i|--in-place|fmt|format|autopep8|yapf|isort|black|gofumpt|goimports)$|[:_-]fix$|^(?:fix|format|fmt)[:_-]/.test(
        word,
      ),
    )
  )
}
