import { hasChosenDigits, isCommonWord, isReference } from './allow-list.ts'
import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { isHarmlessName } from './secret-names.ts'
import { isMachineMade, isSaid } from './secret-value.ts'
import { isRepetitive, isUuid, looksDrawn, looksRandom } from './value-shape.ts'

/** Text between `://` and the path; a password may hold `?` and `#` by mistake. */
const authorityPattern =
  /(?:[^\s"'`<>/?#\\\u0000-\u001f]|[?#](?=[^\s"'`<>/\\&=@]{0,40}@)|\/(?=[A-Za-z0-9+/]{0,90}={0,2}@)){1,512}/y

/** Some package servers hand out a name and password of which both halves are secret. */
const hexHalf = /^[0-9a-f]{8}$/

/** Passwords and tokens before the host of a URL, and addresses that are secrets themselves. */
export const urlTriggers: readonly Trigger[] = [
  ...exactTriggers(['://'], matchAuthority),
  ...exactTriggers([':\\/\\/'], (scan, at) => matchAuthority(scan, at + 2)),
]

const address = /[^\s"'`<>]{20,600}/y
/** Hosts and paths whose address is all that a caller needs. */
const open =
  /rtmps?:\/\/|hook|ntfy|alchemy|infura|quiknode|quicknode|\bankr\b|\bdrpc\b|\b(?:mcp|rpc|ical|feeds?|rss|share|secret|private|key)\b|\/(?:magic|reset|invite|verify|confirm|activate|unsubscribe)[\w-]{0,20}\/|\/t\//
const segment = /(?<=\/)[\w=+@-]{16,120}(?=[/;]|$)/g
const parameter = /[?&#]([\w.-]{1,40})=([\w.~%-]{20,300})(?=[&#\\)\],;]|$)/g

function matchOpenAddress(scan: Scan, at: number): void {
  address.lastIndex = at
  const whole = address.exec(scan.text)?.[0] ?? ''
  const path = whole.split(/[?#]/, 1)[0] as string
  const isOpen = open.test(scan.text.slice(Math.max(0, at - 8), at) + path)
  if (isOpen)
    for (const { 0: part, index } of path.matchAll(segment))
      if (looksRandom(part, 16) && /\d/.test(part))
        scan.report(at + index, at + index + part.length, 'webhook')
  for (const { 0: said, 1: name = '', 2: value = '', index } of whole
    .slice(path.length)
    .matchAll(parameter)) {
    const end = at + path.length + index + said.length
    if (isKeyOf(name, value) || (isOpen && name === 'key' && isUuid(value)))
      scan.report(end - value.length, end, 'access-token')
  }
}

/** What no page needs to be found: a long random value under a name that says nothing else about it. */
function isKeyOf(name: string, value: string): boolean {
  if (
    (isHarmlessName(name) && !/code$/i.test(name)) ||
    /^[a-z]?[dehiqrv]$|clid$|^(?:utm|_g)|^ved$|gist/i.test(name) ||
    isUuid(value)
  )
    return false
  return /^[\da-f]{32,128}$/i.test(value) ? !isRepetitive(value) : looksDrawn(value)
}

function matchAuthority(scan: Scan, at: number): void {
  const { text } = scan
  matchOpenAddress(scan, at + 3)
  const start = at + 3
  authorityPattern.lastIndex = start
  if (!authorityPattern.test(text)) return
  const authority = text.slice(start, authorityPattern.lastIndex)
  const host = authority.includes('/') ? authority.indexOf('@') : authority.lastIndexOf('@')
  if (host < 1) return
  const colon = authority.indexOf(':')
  if (colon >= 0 && colon < host) {
    const user = authority.slice(0, colon)
    const password = authority.slice(colon + 1, host)
    if (password === 'x-oauth-basic') reportUser(scan, start, user)
    else if (hexHalf.test(user) && hexHalf.test(password)) scan.report(start, start + host, 'url-password')
    else if (isUrlPassword(password, user)) scan.report(start + colon + 1, start + host, 'url-password')
  } else reportUser(scan, start, authority.slice(0, host))
}

function reportUser(scan: Scan, start: number, user: string): void {
  if (isUuid(user) || looksRandom(user, 20)) scan.report(start, start + user.length, 'url-password')
}

function isUrlPassword(password: string, user: string): boolean {
  if (password.length < 4 || password === user || isReference(password) || isRepetitive(password))
    return false
  if (/^\$|[{}<>()[\]]|^%[A-Za-z_]+%$|^\*+$|^\.+$|^\d{1,5}(?:[/?#]|$)|^x+$|[-_]here$/.test(password))
    return false
  if (/^(?:your|my[-_])|replace|change.?me|placeholder|redacted|example/i.test(password)) return false
  return /\d.*[A-Z]|[A-Z].*\d/.test(password) || !isCommonWord(password) || hasChosenDigits(password)
}

const oracleLogin = /(?<![\w./@-]|(?<!oracle:\w{2,8}):)[A-Za-z][\w$#]{1,30}\/([^\s@/"'`:]{8,64})$/
const hostLogin =
  /(?:^|[\s"'=]|(?<![\w/.-])\w{2,10}:)(?:[\w.-]{1,40}[\\/])?\w[\w.-]{1,30}:([^\s@/"'`:]{8,64})$/
const host = /@(?:(?:[\w-]{1,40}\.){1,5}[A-Za-z]{2,12}\b|(?:\d{1,3}\.){3}\d|(?:tcp|unix)\()/y
/** An address and its password, as lists of accounts have them. */
const account =
  /(?<=[\w+-])@(?:[\w-]{1,40}\.){1,5}[A-Za-z]{2,12}(?:(?::|[ ]?[/|,;][ ])([!-~]{6,64})|[ ](?:and[ ]|with[ ])?([!-~]{6,64}))(?=\s|$)/y

/** `user/password@db` and `user:password@host`, wherever they are written. */
export function matchOracleLogins({ text, report }: Scan): void {
  for (let at = text.indexOf('@', 1); at >= 0; at = text.indexOf('@', at + 1)) {
    if (!/[\w/]/.test(text[at + 1] ?? '') || text.startsWith('@sha', at)) continue
    const before = text.slice(Math.max(0, at - 100), at)
    host.lastIndex = at
    const sure = oracleLogin.exec(before) ?? (host.test(text) ? hostLogin.exec(before) : null)
    const value = (sure ?? hostLogin.exec(before))?.[1]
    if (value !== undefined && (sure === null ? isMixed(value) : isSaid(value)))
      report(at - value.length, at, 'url-password')
    account.lastIndex = at
    const [, near, after = near] = account.exec(text) ?? []
    if (after !== undefined && (near === undefined ? isMixed(after) : isSaid(after)))
      report(account.lastIndex - after.length, account.lastIndex, 'password')
  }
}

/** A password that no tag, version or name of a package is. */
function isMixed(value: string): boolean {
  return /[A-Z]/.test(value) && isMachineMade(value)
}
