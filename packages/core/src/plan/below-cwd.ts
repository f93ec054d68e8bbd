import { escapeRegExp } from '../session/escape-reg-exp.ts'

/** Shortens the paths of files below the session's folder to relative ones, and removes `cd` to this folder from commands. */
export function belowCwd(text: string, cwd: string | undefined): string {
  if (cwd === undefined || cwd.length < 2 || !text.includes(cwd)) return text
  return withoutCd(text, cwd)
    .replaceAll(`git -C ${cwd} `, 'git ')
    .replace(new RegExp(`(?<![\\w.~/\\\\-])${escapeRegExp(cwd)}[\\\\/](?=[\\w.@])`, 'g'), '')
}

/** Removes `cd` to the session's folder from the commands of a text. */
export function withoutCd(text: string, cwd: string | undefined): string {
  return cwd === undefined ? text : text.replaceAll(`cd ${cwd} && `, '')
}
