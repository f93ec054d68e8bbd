import type { Scan, Trigger } from './scan.ts'
import { isTypedPassword } from './secret-value.ts'

/** Objects of which every member is secret, whatever its name. */
export const manifestTriggers: readonly Trigger[] = [
  { literal: 'kind', exact: false, match: matchKubernetesSecret },
  { literal: '"kty', exact: true, match: matchJwk },
]

const jwkReach = 700
const jwkMember = /\\{0,8}"(?:d|p|q|dp|dq|qi|k)\\{0,8}"\s{0,8}:\s{0,8}\\{0,8}"([\w-]{20,600})\\{0,8}"/g

/** The private members of a JSON web key (RFC 7517); `n`, `e`, `x`, `y` are public. */
function matchJwk(scan: Scan, at: number): void {
  if (at < scan.manifestsReadTo) return
  const from = Math.max(0, at - jwkReach, scan.text.lastIndexOf('{', at))
  const stop = scan.text.slice(at, at + jwkReach * 3).indexOf('}')
  const end = stop < 0 ? at + jwkReach * 3 : at + stop
  scan.manifestsReadTo = end
  for (const { 0: member, 1: value = '', index } of scan.text.slice(from, end).matchAll(jwkMember)) {
    const start = from + index + member.lastIndexOf(value)
    scan.report(start, start + value.length, 'private-key')
  }
}

const reach = 2000
const secretKind = /kind\\{0,4}["']?[ \t]{0,4}:[ \t]{0,4}\\{0,4}["']?secret\b(?![ \t]*\w)/iy
const dataLine = /^[ \t]{0,20}["']?(?:data|stringData)["']?:[ \t]*$/m
const entryPattern =
  /^([ \t]+)["']?([\w.-]{1,80})["']?:[ \t]*(?:(?:\||>)[+-]?[ \t]*\r?\n[ \t]+)?["']?([^\s"'#]{6,4000})["']?[ \t]*$/gm

/** The base64 values under `data:` of a manifest of kind Secret, whose names may say nothing. */
function matchKubernetesSecret(scan: Scan, at: number): void {
  if (at < scan.manifestsReadTo) return
  secretKind.lastIndex = at
  if (!secretKind.test(scan.text)) return
  const before = scan.text.slice(Math.max(0, at - reach), at)
  const from = at - before.length + Math.max(0, before.lastIndexOf('\n---') + 1)
  const stop = scan.text.slice(at, at + reach).indexOf('\n---')
  const end = at + (stop < 0 ? reach : stop)
  scan.manifestsReadTo = end
  const manifest = scan.text.slice(from, end)
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
