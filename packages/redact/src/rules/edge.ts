import { isAlphanumeric } from '../char-code.ts'

/** Whether a token may start here: no letter or digit before it, except in an escape such as `\n`, `%3D`, `%253D`, `\u0022`. */
export function isEdge(text: string, at: number, strict = false): boolean {
  const before = text.charCodeAt(at - 1)
  if (!isAlphanumeric(before))
    return !strict || !isPathCode(before) || isDiffSign(text, at - 1) || (before === 47 && isInUrl(text, at))
  const two = text.charCodeAt(at - 2)
  if (two === 92 && (before === 110 || before === 114 || before === 116 || before === 98 || before === 102))
    return true
  if (text.charCodeAt(at - 3) === 37) return /^[0-9a-f]{2}$/i.test(text.slice(at - 2, at))
  if (text.charCodeAt(at - 5) === 37) return /^25[0-9a-f]{2}$/i.test(text.slice(at - 4, at))
  return at >= 6 && text.charCodeAt(at - 6) === 92 && /^\\u[0-9a-f]{4}$/i.test(text.slice(at - 6, at))
}

const urlBefore = /^:\/\/[\w.:@-]{3,100}(?:\/[\w.~%-]{0,60}){0,12}\/$/

/** Whether an offset is in the path of a URL; base64 has neither a scheme nor a host. */
function isInUrl(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 200), at)
  const scheme = before.lastIndexOf('://')
  return scheme >= 0 && urlBefore.test(before.slice(scheme))
}

/** `+ - . / _`, which continue paths and base64. */
function isPathCode(code: number): boolean {
  return code === 43 || (code >= 45 && code <= 47) || code === 95
}

/** A plus or minus that starts a line of a diff. */
function isDiffSign(text: string, at: number): boolean {
  const sign = text.charCodeAt(at)
  const before = text.charCodeAt(at - 1)
  return (
    (sign === 43 || sign === 45) &&
    (at === 0 || before === 10 || (before === 110 && text.charCodeAt(at - 2) === 92))
  )
}
