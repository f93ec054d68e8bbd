import { escapeRegExp } from '../escape-reg-exp.ts'
import { isEdge } from './edge.ts'
import type { Scan, Trigger } from './scan.ts'
import { isRepetitive } from './value-shape.ts'
import { wordShare } from './word-likeness.ts'

/**
 * The shape of a token that its vendor made recognisable. `body` is what follows the prefix: parts separated by blanks,
 * a part being a class letter with a length (`a36` exactly, `a36+` or more, `a20-40`) or a literal in single quotes.
 * Classes: x hex, d digits, l lower case and digits, u upper case and digits, L letters, a alphanumeric,
 * w base64url, b base64, B either, q base64url with `.` and `=`, t with `.` and `~`, p base64 and percent codes,
 * = padding, 3 base32.
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
  /** What precedes the prefix, which is the vendor's mark in the middle of the token. */
  readonly before?: string | undefined
}

const uuid = "x8 '-' x4 '-' x4 '-' x4 '-' x12"

/** The shapes of a table: a line says `type: prefix prefix | body | edge | before`, and leaves out what is empty at its end. */
export function tokenShapes(table: string): readonly TokenShape[] {
  return table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [head = '', body = '', edge, before] = line.split(/ \|(?= |$)/).map((part) => part.trim())
      const [, type = '', prefixes = ''] = /^([\w-]+): (.*)$/.exec(head) ?? []
      const shape = { type, before, body: body.replace('uuid', uuid), edge: edge as TokenShape['edge'] }
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
  t: 'A-Za-z0-9_~.-',
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

const partPattern = /'([^']+)'|([xdlLuawbBqtp3=])(\d+)(\+|-(\d+))?/g

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
export function charactersOf(ranges: string): readonly string[] {
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
    if (shape.before === undefined && shape.edge !== 'none' && !isEdge(text, at, shape.edge === 'strict'))
      return
    // Most texts hold the prefixes of a few shapes.
    patterns ??= patternsOf(shape)
    const { pattern, cut, head } = patterns
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
    const before = head === undefined ? '' : head.exec(text.slice(Math.max(0, at - longestHead), at))?.[0]
    if (before === undefined) return
    const start = at - before.length
    // Where the number of characters before a mark may vary, others may be before them.
    if (before !== '' && !shape.before?.includes('-') && !isEdge(text, start)) return
    const body = text.slice(before === '' ? at + shape.prefix.length : start, end)
    if (!isRepetitive(body) && (shape.edge !== 'strict' || isMixed(body))) scan.report(start, end, shape.type)
  }
}

/** The longest text before a mark. */
const longestHead = 100

interface TokenPatterns {
  readonly pattern: RegExp
  /** Finds a token that was cut. */
  readonly cut: RegExp | undefined
  readonly head: RegExp | undefined
}

function patternsOf(shape: TokenShape): TokenPatterns {
  const parts = bodyParts(shape.body)
  const last = parts[parts.length - 1]
  const exact = last !== undefined && 'characters' in last && last.characters !== '=' && last.max < openLength
  const after =
    shape.edge === 'strict'
      ? '(?![\\w+=-]|/(?![\\w-]))'
      : last === undefined
        ? '(?![\\w-])'
        : exact && shape.edge !== 'none'
          ? `(?![${last.characters}])`
          : ''
  return {
    pattern: new RegExp(`${escapeRegExp(shape.prefix)}${sourceOf(parts)}${after}`, 'y'),
    cut: shape.before === undefined ? cutPattern(shape, parts[0]) : undefined,
    head: shape.before === undefined ? undefined : new RegExp(`${sourceOf(bodyParts(shape.before))}$`),
  }
}

function sourceOf(parts: readonly BodyPart[]): string {
  return parts
    .map((part) =>
      'literal' in part ? escapeRegExp(part.literal) : `[${part.characters}]{${part.min},${part.max}}`,
    )
    .join('')
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
