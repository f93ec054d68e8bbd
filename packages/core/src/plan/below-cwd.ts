import { escapeRegExp } from '../session/escape-reg-exp.ts'

/** A text that names files below the folder of the session by their paths in it, and runs commands there without `cd`. */
export function belowCwd(text: string, cwd: string | undefined): string {
  if (cwd === undefined || cwd.length < 2 || !text.includes(cwd)) return text
  return withoutCd(text, cwd)
    .replaceAll(`git -C ${cwd} `, 'git ')
    .replace(new RegExp(`(?<![\\w.~/\\\\-])${escapeRegExp(cwd)}[\\\\/](?=[\\w.@])`, 'g'), '')
}

/** A text with commands without the `cd` to the folder of the session before them. */
export function withoutCd(text: string, cwd: string | undefined): string {
  return cwd === undefined ? text : text.replaceAll(`cd ${cwd} && `, '')
}
