import type { Session } from '@tenfold/core'
import type { Steps } from '@tenfold/core/internal'
import { type Score, scoring } from '../score.ts'
import { ambiguousNames, hasCommand, hasPath, type MatchText, pathKeys } from '../text-match.ts'
import { callsOf, editsOf } from './derive-facts.ts'
import { programsOf, shellTextOf } from './shell-programs.ts'

type Action = 'created' | 'modified' | 'deleted' | 'renamed'

/** Facts with two parts that must occur in the same statement, so that a list of words does not count. */
export interface BoundFacts {
  readonly cwd?: string
  readonly files: readonly { readonly path: string; readonly actions: readonly Action[] }[]
  readonly commands: readonly { readonly command: string; readonly ok: boolean }[]
}

const actionWords: Record<Action, RegExp> = {
  created: /\b(?:create[sd]?|creating|new(?: file)?|add(?:ed|s)?(?!:)|wrote|write|written)\b/,
  modified:
    /\b(?:modif(?:y|ied|ies)|edit(?:ed|s)?|multiedit|update[sd]?|change[sd]?|fix(?:ed|es)?|add(?:ed|s)?(?!:)|rewr(?:ote|itten|ite)|refactor(?:ed)?|replace[sd]?|remove[sd]?(?!:)|extend(?:ed)?|rename[sd]?|wrote|write)\b/,
  deleted: /\b(?:delete[sd]?|remove[sd]?(?!:)|rm)\b/,
  renamed: /\b(?:rename[sd]?|moved?|mv)\b/,
}
const passed =
  /\b(?:ok|pass(?:ed|es|ing)?|success(?:ful(?:ly)?)?|succeed(?:ed|s)?|green|works?|clean|exit(?:ed)?(?: code)?:? 0)\b|✓|✅/
const failed =
  /\b(?:errors?|fail(?:ed|s|ing|ures?)?|broken|denied|cancelled|exit(?:ed)?(?: (?:code|status))?:? [1-9]\d*)\b|✗|❌/

/** Computes each edited file's last state and the outcome of each of the last six commands from the tool calls. */
export function* boundFactsOf(session: Session): Steps<BoundFacts> {
  const files = new Map<string, Action[]>()
  const commands = new Map<string, boolean>()
  for (const { call, result } of callsOf(session)) {
    yield
    const edited = editsOf(call, result)
    for (const path of edited) {
      const told = result?.changes?.find((change) => change.path === path)?.action
      const wrote =
        /^(?:write|write_file|create_file|create)$/i.test(call.name) &&
        !/updated/.test(result?.text.slice(0, 200) ?? '')
      const before = files.get(path)
      const action = told ?? (wrote && before === undefined ? 'created' : 'modified')
      // A file that was created here and edited later may count as either.
      const born = before?.includes('created') === true && action === 'modified'
      files.set(path, born ? ['created', 'modified'] : action === 'created' ? ['created'] : [action])
    }
    const shell = call.kind === 'execute' ? shellTextOf(call.input) : undefined
    if (shell === undefined || result === undefined) continue
    if (result.status === 'ok') forgetTouched(files, shell)
    const programs = programsOf(shell)
    const ok = result.status === 'ok' && (result.exitCode ?? 0) === 0
    // The log does not show which command of a chain failed.
    const known = ok || programs.length === 1 ? programs : []
    for (const program of programs) commands.delete(program)
    if (result.status === 'ok' || result.status === 'error')
      for (const program of known) commands.set(program, ok)
  }
  return {
    ...(session.cwd === undefined ? {} : { cwd: session.cwd }),
    files: [...files].map(([path, actions]) => ({ path, actions })),
    commands: [...commands].slice(-6).map(([command, ok]) => ({ command, ok })),
  }
}

/** Files that `rm` deletes count as deleted. Files that git or mv moves are left out. */
function forgetTouched(files: Map<string, Action[]>, shell: string): void {
  for (const path of files.keys()) {
    const name = path.split('/').at(-1) ?? path
    for (const part of shell.split(/&&|;|\n/)) {
      if (!part.includes(name)) continue
      if (/^\s*(?:git )?rm\s/.test(part)) files.set(path, ['deleted'])
      else if (/^\s*(?:git (?:mv|checkout|restore|reset|stash)|mv)\s/.test(part)) files.delete(path)
    }
  }
}

/** Scores files whose name and last action occur in one statement. */
export function* fileActionScore(text: MatchText, facts: BoundFacts): Steps<Score> {
  const ambiguous = ambiguousNames(facts.files.map((file) => file.path))
  return yield* scoring(
    facts.files,
    ({ path, actions }) => {
      const keys = pathKeys(path, ambiguous, facts.cwd)
      return text.statements.some(
        (line) =>
          hasPath(line, keys) &&
          actions.some((action) => actionWords[action].test(line.replaceAll(keys[0] ?? '', ' '))),
      )
    },
    ({ path, actions }) => `${path}: ${actions.join('/')}`,
  )
}

/** Scores commands whose words and outcome occur in one statement. */
export function* commandStatusScore(text: MatchText, facts: BoundFacts): Steps<Score> {
  return yield* scoring(
    facts.commands,
    ({ command, ok }) =>
      text.statements.some((line) => hasCommand(line, command) && (ok ? passed : failed).test(line)),
    ({ command, ok }) => `${command}: ${ok ? 'ok' : 'error'}`,
  )
}
