import type { Scan } from './scan.ts'

/** A value as it is written in source, settings or a log, without its quotes. */
export interface ReadValue {
  readonly start: number
  readonly end: number
  readonly quoted: boolean
}

const maxValue = 4096
/** Maximum length to read once the budget of a text is used up. */
const shortValue = 48

/** `b'…'`, `u"…"`, `@"…"`, `N'…'`. */
const literalPrefix = /[bruLNf@$]{1,2}(?=["'`])|r#{1,3}(?=")/y
/** The first two of three quotes. */
const tripleQuote = /""(?=")|''(?=')/y
const openQuote = /(\\{0,8})(["'`])|&quot;|&#39;|%22|\\{1,8}u0022/y
/** A value without quotes, up to its end; `;` and `&` join settings and queries, a backslash starts an escape. */
const bare = /(?:[^\s"'`<>;,&|(){}[\]\\\u0000-\u001f]|&(?![&\s]|\w{1,40}=|(?:amp|quot|[lg]t);)){1,4096}/y
const bareShort = /[^\s"'`<>;,&|(){}[\]\\\u0000-\u001f]{1,48}/y

/** Reads the value that starts at `at`; `undefined` if there is none, or if its quote never closes. */
export function readValue(scan: Scan, at: number): ReadValue | undefined {
  if (scan.valueBudget < -scan.text.length / 2) return undefined
  const value = readAt(scan.text, at, scan.valueBudget > 0)
  if (value !== undefined) scan.valueBudget -= value.end - value.start
  return value
}

function readAt(text: string, at: number, long: boolean): ReadValue | undefined {
  let start = at + matchLength(literalPrefix, text, at)
  const triple = matchLength(tripleQuote, text, start)
  start += triple
  if (triple > 0 && text[start + 1] === '\n') return readBare(text, start + 2, long)
  openQuote.lastIndex = start
  const open = openQuote.exec(text)
  if (open === null) return readBare(text, at, long)
  start += open[0].length
  const limit = Math.min(text.length, start + (long ? maxValue : shortValue))
  const end =
    open[2] === undefined
      ? start + text.slice(start, limit).indexOf(open[0])
      : closingQuote(text, start, limit, open[2], open[1]!.length)
  return end < start ? undefined : { start, end, quoted: true }
}

function readBare(text: string, at: number, long: boolean): ReadValue | undefined {
  const length = matchLength(long ? bare : bareShort, text, at)
  return length === 0 ? undefined : { start: at, end: at + length, quoted: false }
}

/** A closing quote has as many backslashes before it as the opening one: `\"a\\\"b\"`. A line break ends the search. */
function closingQuote(text: string, start: number, limit: number, quote: string, slashes: number): number {
  let before = 0
  for (let index = start; index < limit; index += 1) {
    const character = text[index]!
    if (character === '\\') before += 1
    else {
      if (character === quote && (slashes === 0 ? before % 2 === 0 : before <= slashes))
        return index - (slashes === 0 ? 0 : before)
      if (character === '\n') return -1
      before = 0
    }
  }
  return -1
}

/** Length of a sticky match at an offset, 0 for none. */
export function matchLength(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at
  return sticky.test(text) ? sticky.lastIndex - at : 0
}

/** Where the line around an offset starts; `undefined` if that is further back than `most`. */
export function lineStart(text: string, at: number, most: number): number | undefined {
  const from = Math.max(0, at - most)
  const newline = text.slice(from, at).lastIndexOf('\n')
  return newline >= 0 ? from + newline + 1 : from === 0 ? 0 : undefined
}
