import { type GitState, setHead } from './state.ts'

/** Reads which branch `git checkout` or `git switch` went to. */
export function readSwitch(state: GitState, args: readonly string[], text: string, ok: boolean): void {
  const created = args.findIndex((arg) => /^(?:-b|-B|-c|-C|--create|--orphan)$/.test(arg))
  const printed = /^(?:Switched to (?:a new |and reset )?branch|Already on) '([^'\n]{1,200})'/m.exec(
    text,
  )?.[1]
  const branch = printed ?? (ok && created >= 0 ? args[created + 1] : undefined)
  const head = /^HEAD is now at ([\da-f]{7,40})/m.exec(text)?.[1]
  if (branch !== undefined && branch !== state.branch) {
    // A new branch starts at HEAD, unless a start is given.
    if (created < 0 || args.length > created + 2) state.head = undefined
    state.branch = branch
  }
  if (head !== undefined) state.head = head
}

/** Reads branch and cleanness from `git status` in any of its forms. */
export function readStatus(state: GitState, args: readonly string[], text: string, alone: boolean): void {
  const branch =
    /^On branch (\S{1,200})$/m.exec(text)?.[1] ?? /^## ([^\s.]{1,200})(?:\.\.\.|$)/m.exec(text)?.[1]
  if (branch !== undefined) state.branch = branch
  if (/^nothing to commit, working tree clean/m.test(text)) state.dirty = false
  else if (/^(?:Changes not staged|Changes to be committed|Untracked files|Unmerged paths)/m.test(text))
    state.dirty = true
  else if (
    alone &&
    args.some((arg) => /^(?:-s|-sb|--short|--porcelain.*)$/.test(arg)) &&
    args.every((arg) => arg.startsWith('-'))
  ) {
    state.dirty = text.split('\n').some((line) => line.trim() !== '' && !line.startsWith('##'))
  }
  // A form that is not known, as of a program that shortens it: what an earlier status said may be over.
  else if (alone && branch === undefined && text.trim() !== '') state.dirty = undefined
}

/** Reads the head from `git log` and `git show`: by the mark of HEAD, or as the first commit if no other is asked for. */
export function readShownHead(
  state: GitState,
  sub: 'log' | 'show',
  args: readonly string[],
  text: string,
  alone: boolean,
): void {
  const marked = /^[*|\s]{0,20}(?:commit )?([\da-f]{7,40}) \((?:HEAD -> ([^,)\n]{1,200})|HEAD[,)])/m.exec(
    text,
  )
  if (marked?.[1] !== undefined) {
    setHead(state, marked[1])
    if (marked[2] !== undefined) state.branch = marked[2]
    return
  }
  const isPlain =
    sub === 'log'
      ? args.every((arg) =>
          /^(?:--oneline|-\d+|-n\d*|\d+|--format=%[hH].*|--decorate|--no-decorate)$/.test(arg),
        )
      : args.every((arg) => /^(?:HEAD|--stat|--name-only|--name-status|--oneline|-s|-p|--patch)$/.test(arg))
  const first = alone && isPlain ? /^(?:commit )?([\da-f]{7,40})(?:\s|$)/.exec(text)?.[1] : undefined
  if (first !== undefined) setHead(state, first)
}
