import { commandPurpose, type Purpose } from './command-purpose.ts'
import type { SimpleCommand } from './shell-words.ts'
import { programName } from './shell-wrappers.ts'

const interpreters = /^(?:node|bun|deno|tsx|python(?:\d(?:\.\d+)?)?|py|ruby|php|perl|bash|sh|zsh|pwsh)$/
// What stops a script if a condition does not hold, in the interpreters' languages.
const asserts =
  /\bassert\b|\bthrow new \w*Error\b|\braise (?:AssertionError|SystemExit|ValueError|RuntimeError|Exception)\b|\b(?:process\.exit|sys\.exit|exit)\((?:1|code|failed|errors)|\|\| exit 1\b|\bdie\b/
const writes =
  /\b(?:writeFile|appendFile|unlink|rmSync|mkdir|write_text|write_bytes|os\.remove|shutil\.|File\.write|file_put_contents)|\bopen\([^)\n]{0,200},\s*['"][wa]/
const maxScriptLength = 20_000

/** Returns what a command checks, by its words or by the script that it was given. */
export function purposeOf(command: SimpleCommand | undefined): Purpose | undefined {
  if (command === undefined) return undefined
  return commandPurpose(command.words) ?? (isAssertion(command) ? 'test' : undefined)
}

/** A script in a heredoc, or after `-c` or `-e`, that changes no file and stops if a condition does not hold. */
function isAssertion({ words, heredocs }: SimpleCommand): boolean {
  if (!interpreters.test(programName(words[0] ?? ''))) return false
  const flag = words.findIndex((word) => /^-(?:c|e|p|pe|-eval|-print)$/.test(word))
  const script = [...heredocs, ...(flag < 1 ? [] : [words[flag + 1] ?? ''])]
    .join('\n')
    .slice(0, maxScriptLength)
  return asserts.test(script) && !writes.test(script)
}

/**
 * Whether a command is a formatter, or a linter that fixes what it finds: it changes files, and says little about their
 * state.
 */
export function mendsFiles(words: readonly string[]): boolean {
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
