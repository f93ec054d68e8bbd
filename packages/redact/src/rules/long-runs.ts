import { isSequential } from './allow-list.ts'
import { announces } from './near.ts'
import { isEncodedText } from './places.ts'
import type { Scan } from './scan.ts'
import { charactersOf } from './token-shape.ts'
import { distinctCharacters, isRepetitive, looksDrawn } from './value-shape.ts'
import { wordShare } from './word-likeness.ts'

/** Shorter runs say too little by themselves: those with a prefix, and those of letters and digits in turn. */
const shortestPrefixed = 32
const shortest = 12
/** A longer run is data rather than a token. */
const longest = 200
const longestDrawn = 64

/** Mailgun's keys: three numbers in hex. */
const hexTriple = /^[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}$/
/** A word of a vendor, words of a mode, and one random part. */
const prefixedPattern = /^([a-z][a-z0-9]{1,11})[-_](?:(?:[a-z]{2,10}|v\d)[-_]){0,2}([\w-]{20,120})$/
/** A prefix that says that a token is secret, or where it is valid: letters of one case and digits are enough after it. */
const saysToken =
  /^(?:[a-z0-9]+[-_])?(?:live|test|prod|dev|sk|pat|api|token|secret)_|^[a-z0-9]+_(?:org|project|user|team)_|^[a-z]*(?:key|token|secret)[-_]/
/** A private key of Bitcoin in the wallet import format: its version fixes the first characters. */
const walletKey = /^(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|(?:K[w-z]|L[1-5])[1-9A-HJ-NP-Za-km-z]{50})$/
/** Prefixes of ids in APIs and tools; an id is not a secret. */
const idPrefix =
  /^(?:toolu|srvtoolu|msg|call|req|resp|chatcmpl|cmpl|run|thread|asst|file|step|rs|fc|ws|mcp|item|evt|event|sess|ses|session|cus|sub|pi|ch|in|price|prod|acct|org|proj|usr|user|prt|part|ctx|batch|gen|trace|span|img|vs|conv|task|job|build|dpl|prj|team|sha\d*|md5|h1|data|blob|chunk|index|css|js|id|uuid|etag|cid|rev|commit|hash|digest|key_id)$/

/** Ids of APIs that begin with a version or a time. */
const numberedId = /^0[1-9][A-Za-z0-9]/

/** 1 lower case, 2 upper case, 4 digit, 8 `-` and `_`: what runs are made of. */
const kinds = new Uint8Array(1 << 16)
for (const [place, characters] of ['a-z', 'A-Z', '0-9', '_-'].entries())
  for (const one of charactersOf(characters)) kinds[one.charCodeAt(0)] = 1 << place

/** Reports runs of token characters that look like a key or a drawn password and nothing else. Skips most of the text in steps. */
export function matchLongRuns(scan: Scan): void {
  const { codes } = scan
  for (let at = shortest - 1; at < scan.text.length; at += shortest) {
    let held = kinds[codes[at]!]!
    if (held === 0) continue
    let start = at
    while (start > 0 && kinds[codes[start - 1]!]! > 0) held |= kinds[codes[--start]!]!
    while (kinds[codes[++at]!]! > 0) held |= kinds[codes[at]!]!
    // Beyond all runs that end here, one that begins after it covers the next place.
    if (at - start >= shortest && at - start <= longestDrawn && held === 7) matchDrawn(scan, start, at)
    if (at - start >= shortestPrefixed && at - start <= longest) matchRun(scan, start, at)
  }
}

/** What touches a value, rather than the rest of a path, an id or a name. */
const opens = /^(?:[\s"'`:=(>|,;]|[^\u0000-\u007f])?$/
const closes = /^\\{0,8}["'`]?(?:$|\s(?!\s?[=:])|[,;)\]}<|]|[.!?](?!\w)|[^\u0000-\u007f])/
/** Addresses of Bitcoin, Solana, Ethereum and IPFS, hex, names in code. */
const known =
  /^(?:[13][1-9A-HJ-NP-Za-km-z]{25,33}|[1-9A-HJ-NP-Za-km-z]{43,44}|Qm\w{44}|(?:0x)?[\da-fA-F]+)$|HTTP|UTF|Int\d|V\d[A-Z]/
/** A value behind a word or a name ("task", "run ="), a printed one, and one of a list may be anything. */
const isOther =
  /\p{L}{2} $|\becho ["']?$|["'],\s{0,3}["']$|[\w-]\\{0,8}["'`]?\s{0,3}[:=]\s{0,3}\\{0,8}["'`]?$/u

/** A password or key by itself: letters of both cases and digits in turn, which no path, id or name touches. */
function matchDrawn({ text, report }: Scan, start: number, end: number): void {
  if (!opens.test(text.slice(Math.max(0, start - 1), start)) || !closes.test(text.slice(end, end + 6))) return
  const run = text.slice(start, end)
  if (known.test(run) || !looksDrawn(run) || isEncodedText(run) || run === text.trim()) return
  const before = text.slice(Math.max(0, start - 60), start)
  if (!announces.test(before) && !isOther.test(before)) report(start, end, 'credential')
}

function matchRun(scan: Scan, from: number, end: number): void {
  const { text } = scan
  let start = text[from - 1] === '\\' && /[nrtbf]/.test(text[from] ?? '') ? from + 1 : from
  while (text[start] === '-' || text[start] === '_') start++
  const run = text.slice(start, end)
  if (hexTriple.test(run)) scan.report(start, end, 'mailgun-key')
  if (
    /^0x[\da-f]{64}$/i.test(run) &&
    /accounts|private|wallet|signer|\(\d+\)\s$/i.test(text.slice(Math.max(0, start - 60), start))
  )
    scan.report(start, end, 'private-key')
  if (walletKey.test(run)) scan.report(start, end, 'private-key')
  // Laravel's tokens: https://laravel.com/docs/sanctum
  if (
    text[start - 1] === '|' &&
    /^[A-Za-z0-9]{40,48}$/.test(run) &&
    /(?<![\w|])\d{1,9}\|$/.test(text.slice(Math.max(0, start - 12), start)) &&
    isEvenlyMixed(run)
  )
    scan.report(start, end, 'api-token')
  const prefixed = prefixedPattern.exec(run)
  if (prefixed === null || idPrefix.test(prefixed[1] as string)) return
  if (/^\.[a-z]/.test(text.slice(end, end + 2)) || text[start - 1] === '.' || text[start - 1] === '@') return
  const body = prefixed[2] as string
  // Names and ids that are made of shorter parts.
  if (body.split(/[-_]/).length > 2 + body.length / 10) return
  const isSaid = saysToken.test(run)
  if (numberedId.test(body) || body.length < (isSaid ? 20 : 30)) return
  if (!isEvenlyMixed(body) && !(isSaid && /^(?=.*\d.*[a-z].*\d)[A-Za-z\d]{32,}$/.test(body))) return
  if (
    distinctCharacters(body, 16) >= (isSaid ? 10 : 14) &&
    !isRepetitive(body) &&
    !isSequential(body) &&
    wordShare(body) < 0.45
  )
    scan.report(start, end, 'api-token')
}

/** Letters of both cases and digits, several of each: a hash with a suffix lacks one kind almost completely. */
function isEvenlyMixed(body: string): boolean {
  const count = (kind: RegExp): number => body.match(kind)?.length ?? 0
  return count(/[a-z]/g) >= 5 && count(/[A-Z]/g) >= 5 && count(/\d/g) >= 1
}
