import { isAlphanumeric } from '../char-code.ts'
import { escapeRegExp } from '../escape-reg-exp.ts'
import type { Scan, Trigger } from './scan.ts'
import { isRepetitive } from './value-shape.ts'
import { wordShare } from './word-likeness.ts'

/**
 * The shape of a token that its vendor made recognisable. `body` is what follows the prefix: parts separated by blanks,
 * a part being a class letter with a length (`a36` exactly, `a36+` or more, `a20-40`) or a literal in single quotes.
 * Classes: x hex, d digits, l lower case and digits, u upper case and digits, L letters, a alphanumeric,
 * w base64url, b base64, B either, q base64url with `.` and `=`, p base64 and percent codes, = padding, 3 base32.
 */
export interface TokenShape {
  readonly type: string
  readonly prefix: string
  readonly body: string
  /**
   * `none`: may be inside a longer word; `strict`: nothing of a path or of base64 may touch it, and it holds a digit.
   * Default: no letter or digit may touch it.
   */
  readonly edge?: 'none' | 'strict' | undefined
}

const uuid = "x8 '-' x4 '-' x4 '-' x4 '-' x12"

/** The shapes of a table: a line says `type: prefix prefix | body | edge`. */
export function tokenShapes(table: string): readonly TokenShape[] {
  return table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [head = '', body = '', edge] = line.split(' | ')
      const [, type = '', prefixes = ''] = /^([\w-]+): (.*)$/.exec(head) ?? []
      const shape = { type, body: body.replace('uuid', uuid), edge: edge as TokenShape['edge'] }
      return prefixes.split(' ').map((prefix) => ({ ...shape, prefix }))
    })
}

const classes: Readonly<Record<string, string>> = {
  x: '0-9a-fA-F',
  d: '0-9',
  l: 'a-z0-9',
  u: 'A-Z0-9',
  L: 'A-Za-z',
  a: 'A-Za-z0-9',
  w: 'A-Za-z0-9_-',
  b: 'A-Za-z0-9+/',
  B: 'A-Za-z0-9+/_-',
  q: 'A-Za-z0-9_.=-',
  p: 'A-Za-z0-9%+/=_-',
  '3': 'A-Z2-7',
  '=': '=',
}

/** One part of a body: a literal, or characters of a class between two lengths. */
type BodyPart =
  | { readonly literal: string }
  | { readonly characters: string; readonly min: number; readonly max: number }

/** Maximum length of an open-ended part; what follows is cut off. */
const openLength = 1500

const partPattern = /'([^']+)'|([xdlLuawbBqp3=])(\d+)(\+|-(\d+))?/g

/** Reads the small language of `TokenShape.body`. */
export function bodyParts(body: string): readonly BodyPart[] {
  return Array.from(body.matchAll(partPattern), ([, literal, letter, min, open, max]) => {
    if (literal !== undefined) return { literal }
    const least = Number(min)
    const most = open === undefined ? least : max === undefined ? openLength : Number(max)
    return { characters: classes[letter!]!, min: least, max: most }
  })
}

/** Triggers for a table of shapes. Prefixes under three characters get each first character of their body. */
export function tokenTriggers(shapes: readonly TokenShape[]): readonly Trigger[] {
  return shapes.flatMap((shape) => {
    const match = matcherOf(shape)
    return wakingLiterals(shape).map((literal) => ({ literal, exact: true, match }))
  })
}

function wakingLiterals({ prefix, body }: TokenShape): readonly string[] {
  if (prefix.length >= 3) return [prefix]
  const first = bodyParts(body)[0]
  if (first === undefined || 'literal' in first) return [prefix + (first?.literal ?? '')]
  return charactersOf(first.characters).map((character) => prefix + character)
}

/** The characters of a class such as `0-9a-f_-`: to compile a regular expression of each takes longer. */
function charactersOf(ranges: string): readonly string[] {
  const found: string[] = []
  for (let at = 0; at < ranges.length; at += 1) {
    const from = ranges.charCodeAt(at)
    if (ranges[at + 1] === '-' && at + 2 < ranges.length) at += 2
    for (let code = from; code <= ranges.charCodeAt(at); code += 1) found.push(String.fromCharCode(code))
  }
  return found
}

function matcherOf(shape: TokenShape): (scan: Scan, at: number) => void {
  let patterns: ReturnType<typeof patternsOf> | undefined
  return (scan, at) => {
    const { text } = scan
    if (at < scan.tokensReadTo) return
    if (shape.edge !== 'none' && !isEdge(text, at, shape.edge === 'strict')) return
    // Most texts hold the prefixes of a few shapes.
    patterns ??= patternsOf(shape)
    const { pattern, cut } = patterns
    pattern.lastIndex = at
    if (!pattern.test(text)) {
      if (cut === undefined) return
      cut.lastIndex = at
      if (!cut.test(text) || !isMixed(text.slice(at + shape.prefix.length, cut.lastIndex))) return
      scan.report(at, cut.lastIndex, shape.type)
      return
    }
    const end = pattern.lastIndex
    scan.tokensReadTo = end
    const body = text.slice(at + shape.prefix.length, end)
    if (!isRepetitive(body) && (shape.edge !== 'strict' || isMixed(body))) scan.report(at, end, shape.type)
  }
}

/** Finds a token of a shape, and one that was cut. */
function patternsOf(shape: TokenShape): { readonly pattern: RegExp; readonly cut: RegExp | undefined } {
  const parts = bodyParts(shape.body)
  const source = parts.map((part) =>
    'literal' in part ? escapeRegExp(part.literal) : `[${part.characters}]{${part.min},${part.max}}`,
  )
  const last = parts[parts.length - 1]
  const exact = last !== undefined && 'characters' in last && last.characters !== '=' && last.max < openLength
  const after =
    shape.edge === 'strict'
      ? '(?![\\w+=-]|/(?![\\w-]))'
      : exact && shape.edge !== 'none'
        ? `(?![${last.characters}])`
        : ''
  const pattern = new RegExp(`${escapeRegExp(shape.prefix)}${source.join('')}${after}`, 'y')
  return { pattern, cut: cutPattern(shape, parts[0]) }
}

/** A token that somebody cut: at least eight characters of its random part, and dots. */
function cutPattern({ prefix, edge }: TokenShape, first: BodyPart | undefined): RegExp | undefined {
  if (prefix.length < 4 || edge === 'strict' || first === undefined || 'literal' in first) return undefined
  return new RegExp(`${escapeRegExp(prefix)}[${first.characters}]{8,200}(?=\\.{3}|…|\\*{3})`, 'y')
}

/** A shape that says little must at least not read like a name in source code. */
function isMixed(body: string): boolean {
  return /\d/.test(body) && wordShare(body) < 0.6
}

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
