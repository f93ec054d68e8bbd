import { isPlaceholder, isReference } from './allow-list.ts'
import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { isSecretValue, isStrongPassword } from './secret-value.ts'
import { isTypedPassword } from './typed-password.ts'
import { lineStart, readValue } from './value-reader.ts'

/** `as` counts only after the name of a plug-in; in prose things are "identified as" something. */
const identified =
  /identified[ \t\n]{1,8}(?:with[ \t\n]{1,8}[\w'"]{1,40}[ \t\n]{1,8}(?:by|as)|by)[ \t\n]{1,8}(?:password[ \t]{1,4}|values[ \t]{1,4})?/iy
/** The statement that gives a password to a user. */
const grant = /\b(?:user|role|grant|database link)\b/i
const passwordHash =
  /\$(?:apr1|2[abxy]|1|5|6|y|sha1|argon2(?:id?|d))\$[A-Za-z0-9./,=$+-]{20,200}|\{S?SHA\}[A-Za-z0-9+/]{27,44}={0,2}|pbkdf2[:_]sha\d{1,3}[:$]\d{3,8}\$[A-Za-z0-9+/$=]{20,120}/y
const hashStarts =
  '$apr1$ $2a$ $2b$ $2y$ $2x$ $5$ $6$ $y$ $1$ $argon2 {SHA} {SSHA} pbkdf2:sha pbkdf2_sha'.split(' ')
const secretKind = /kind\\{0,4}["']?[ \t]{0,4}:[ \t]{0,4}\\{0,4}["']?secret\b(?![ \t]*\w)/iy
const dataLine = /^[ \t]{0,20}["']?(?:data|stringData)["']?:[ \t]*$/m
const entryPattern =
  /^([ \t]+)["']?([\w.-]{1,80})["']?:[ \t]*(?:(?:\||>)[+-]?[ \t]*\r?\n[ \t]+)?["']?([^\s"'#]{6,4000})["']?[ \t]*$/gm
/** SQL's IDENTIFIED BY, hashes of passwords, Kubernetes secrets, keys and lines of some formats. */
export const otherTriggers: readonly Trigger[] = [
  { literal: 'identified', exact: false, match: matchIdentified },
  { literal: 'kind', exact: false, match: matchKubernetesSecret },
  ...exactTriggers(['"kty'], matchJwk),
  ...exactTriggers(['"sensitive', 'random_password'], matchTerraform),
  ...exactTriggers(['@tcp(', '@unix('], matchBefore(/[\w.$-]{1,40}:([^\s"'`@]{3,100})$/)),
  ...exactTriggers(['.vault.azure.net/secrets/'], (scan, at) => {
    const vault = /[^{}]{0,400}?"value"\s{0,4}:\s{0,4}"([^"\\]{4,4000})"/y
    vault.lastIndex = at
    const value = vault.exec(scan.text)?.[1]
    if (value !== undefined) scan.report(vault.lastIndex - 1 - value.length, vault.lastIndex - 1, 'secret')
  }),
  ...exactTriggers([':5432:', ':*:'], matchPgpass),
  ...exactTriggers(['id.json', 'ecretKey', 'eypair'], matchBytes),
  ...exactTriggers(hashStarts, matchHash),
]

function matchIdentified(scan: Scan, at: number): void {
  identified.lastIndex = at
  if (!identified.test(scan.text) || !grant.test(scan.text.slice(Math.max(0, at - 200), at))) return
  const value = readValue(scan, identified.lastIndex)
  if (value === undefined) return
  const text = scan.text.slice(value.start, value.end)
  const sure = isStrongPassword(text) || (value.quoted && scan.text[value.start - 1] !== '`')
  if (sure && text.length >= 4 && !/\s/.test(text) && !isReference(text) && !isPlaceholder(text))
    scan.report(value.start, value.end, 'password')
}

const sensitiveValue = /sensitive"\s{0,4}:\s{0,4}true,[^{}]{0,120}?"value"\s{0,4}:\s{0,4}"([^"\\]{4,200})"/g
const valueSensitive =
  /"value"\s{0,4}:\s{0,4}"([^"\\]{4,200})"(?=[^{}]{0,120}?sensitive"\s{0,4}:\s{0,4}true)/g
const randomResult = /\bresult"?\s{0,8}[=:]\s{0,8}"([^"]{4,200})"/g

/** Outputs and drawn passwords of a state of Terraform. */
function matchTerraform(scan: Scan, at: number): void {
  if (scan.commandBudget < 0) return
  scan.commandBudget -= 600
  const from = Math.max(0, at - 300)
  for (const pattern of [sensitiveValue, valueSensitive, randomResult])
    for (const { 0: whole, 1: value, index } of scan.text.slice(from, at + 300).matchAll(pattern))
      if (isSecretValue({ kind: 'password', type: 'password' }, value as string, 'quoted')) {
        const end = from + index + whole.length - 1
        scan.report(end - (value as string).length, end, 'password')
      }
}

function matchBefore(pattern: RegExp): (scan: Scan, at: number) => void {
  return (scan, at) => {
    const value = pattern.exec(scan.text.slice(Math.max(0, at - 150), at))?.[1]
    if (value !== undefined && isTypedPassword(value)) scan.report(at - value.length, at, 'url-password')
  }
}

const pgpass = /(?:^|["'\s])[\w.*-]{1,60}:(?:\d{2,5}|\*):[\w*-]{1,63}:[\w*-]{1,63}:([^\s:"'`]{4,100})/

/** A line of `.pgpass`: host, port, database, user and password. */
function matchPgpass({ text, report }: Scan, at: number): void {
  const from = lineStart(text, at, 80) ?? at - 80
  const [line, value] = pgpass.exec(text.slice(from, at + 260)) ?? []
  if (line !== undefined && value !== undefined && isTypedPassword(value))
    report(from + line.length - value.length, from + line.length, 'password')
}

const keyBytes = /[^[\n]{0,60}\s?(\[\s{0,4}(?:\d{1,3}\s{0,4},\s{0,4}){63}\d{1,3}\s{0,4}\])/y

/** A key pair of Solana: 64 bytes as numbers. */
function matchBytes({ text, report }: Scan, at: number): void {
  keyBytes.lastIndex = at
  const bytes = keyBytes.exec(text)?.[1]
  if (bytes !== undefined) report(keyBytes.lastIndex - bytes.length, keyBytes.lastIndex, 'private-key')
}

function matchHash(scan: Scan, at: number): void {
  passwordHash.lastIndex = at
  if (passwordHash.test(scan.text)) scan.report(at, passwordHash.lastIndex, 'password-hash')
}

const jwkReach = 700
const jwkMember = /\\{0,8}"(?:d|p|q|dp|dq|qi|k)\\{0,8}"\s{0,8}:\s{0,8}\\{0,8}"([\w-]{20,600})\\{0,8}"/g

/** The private members of a JSON web key (RFC 7517); `n`, `e`, `x`, `y` are public. */
function matchJwk(scan: Scan, at: number): void {
  if (at < scan.manifestsReadTo) return
  const before = scan.text.slice(Math.max(0, at - jwkReach), at)
  const behind = scan.text.slice(at, at + jwkReach * 3)
  const from = at - before.length + Math.max(0, before.lastIndexOf('{'))
  const stop = behind.indexOf('}')
  const end = at + (stop < 0 ? behind.length : stop)
  scan.manifestsReadTo = end
  for (const member of scan.text.slice(from, end).matchAll(jwkMember)) {
    const start = from + member.index + member[0].lastIndexOf(member[1]!)
    scan.report(start, start + member[1]!.length, 'private-key')
  }
}

const reach = 2000

/** The base64 values under `data:` of a manifest of kind Secret, whose names may say nothing. */
function matchKubernetesSecret(scan: Scan, at: number): void {
  if (at < scan.manifestsReadTo) return
  secretKind.lastIndex = at
  if (!secretKind.test(scan.text)) return
  const before = scan.text.slice(Math.max(0, at - reach), at)
  const behind = scan.text.slice(at, at + reach)
  const from = at - before.length + Math.max(0, before.lastIndexOf('\n---') + 1)
  const stop = behind.indexOf('\n---')
  scan.manifestsReadTo = at + (stop < 0 ? behind.length : stop)
  const manifest = scan.text.slice(from, at + (stop < 0 ? behind.length : stop))
  const data = dataLine.exec(manifest)
  if (data === null) return
  entryPattern.lastIndex = data.index + data[0].length
  for (let entry = entryPattern.exec(manifest); entry !== null; entry = entryPattern.exec(manifest)) {
    const value = entry[3]!
    const start = from + entry.index + entry[0].lastIndexOf(value)
    const isOne = data[0].includes('string') ? isTypedPassword(value) : isEncodedText(value)
    if (isOne) scan.report(start, start + value.length, 'kubernetes-secret')
  }
}

function isEncodedText(value: string): boolean {
  return /^[A-Za-z0-9+/]{10,}={0,3}$/.test(value) && value.length % 4 === 0 && !/^[a-z]+$/.test(value)
}
