import { isUrlCode } from '../char-code.ts'
import { isSequential } from './allow-list.ts'
import type { Scan } from './scan.ts'
import { distinctCharacters, isRepetitive } from './value-shape.ts'
import { wordShare } from './word-likeness.ts'

/** Shorter runs of token characters say too little by themselves. */
const shortest = 34
/** A longer run is data rather than a token. */
const longest = 200

/** Mailgun's keys: three numbers in hex. */
const hexTriple = /^[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}$/
/** A short word of a vendor, words of a mode, and one random part. */
const prefixedPattern = /^([a-z][a-z0-9]{1,7})[-_](?:(?:[a-z]{2,8}|v\d)[-_]){0,2}([A-Za-z0-9]{30,120})$/
/** Prefixes of ids in APIs and tools; an id is not a secret. */
const idPrefix =
  /^(?:toolu|srvtoolu|msg|call|req|resp|chatcmpl|cmpl|run|thread|asst|file|step|rs|fc|ws|mcp|item|evt|event|sess|ses|session|cus|sub|pi|ch|in|price|prod|acct|org|proj|usr|user|prt|part|ctx|batch|gen|trace|span|img|vs|conv|task|job|build|dpl|prj|team|sha\d*|md5|h1|data|blob|chunk|index|css|js|id|uuid|etag|cid|rev|commit|hash|digest|key_id)$/

/** Ids of APIs that begin with a version or a time. */
const numberedId = /^0[1-9][A-Za-z0-9]/

/**
 * Reports long runs of token characters that look like a vendor's key and nothing else: a short prefix, then many
 * letters of both cases and digits without a word among them. Skips most of the text in steps.
 */
export function matchLongRuns(scan: Scan): void {
  const { text } = scan
  let at = shortest - 1
  while (at < text.length) {
    if (!isUrlCode(text.charCodeAt(at))) {
      at += shortest
      continue
    }
    let start = at
    while (start > 0 && at - start < longest && isUrlCode(text.charCodeAt(start - 1))) start--
    const last = start + shortest - 1
    if (at < last && (last >= text.length || !isUrlCode(text.charCodeAt(last)))) {
      // All runs up to this character are shorter, and a longer one that begins after it covers the next place.
      at = last + shortest
      continue
    }
    let end = at + 1
    while (end < text.length && isUrlCode(text.charCodeAt(end))) end++
    if (end - start >= shortest && end - start <= longest) matchRun(scan, start, end)
    at = end + shortest
  }
}

function matchRun(scan: Scan, from: number, end: number): void {
  const { text } = scan
  let start = text[from - 1] === '\\' && /[nrtbf]/.test(text[from] ?? '') ? from + 1 : from
  while (text[start] === '-' || text[start] === '_') start++
  const run = text.slice(start, end)
  // The many ids that are made of shorter parts match neither pattern.
  const lastPart = run.length - 1 - Math.max(run.lastIndexOf('-'), run.lastIndexOf('_'))
  if (lastPart < 30 && run.length !== 50) return
  if (hexTriple.test(run)) scan.report(start, end, 'mailgun-key')
  const prefixed = prefixedPattern.exec(run)
  if (prefixed === null || idPrefix.test(prefixed[1] as string)) return
  if (/^\.[a-z]/.test(text.slice(end, end + 2)) || text[start - 1] === '.' || text[start - 1] === '@') return
  const body = prefixed[2] as string
  if (numberedId.test(body) || !isEvenlyMixed(body)) return
  if (
    distinctCharacters(body, 16) >= 14 &&
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
