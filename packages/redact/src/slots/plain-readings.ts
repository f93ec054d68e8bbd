import { percentDecoded } from '../percent-decoded.ts'
import { readJsonString } from './json-strings.ts'

/** Decoded forms of a value that was found escaped: percent-decoded, JSON-unescaped, out of base64. */
export function plainReadings(value: string): string[] {
  const undone = /%[0-9a-f]{2}/i.test(value) ? percentDecoded(value) : undefined
  const readings = [undone, jsonUnescaped(value)].filter((reading) => reading !== undefined)
  const decoded = base64Decoded(value)
  if (decoded !== undefined) {
    readings.push(decoded)
    // `user:password` of HTTP Basic.
    const colon = decoded.indexOf(':')
    if (colon > 0) readings.push(decoded.slice(colon + 1))
  }
  return readings.filter((reading) => reading !== value && reading !== '')
}

function jsonUnescaped(value: string): string | undefined {
  if (!value.includes('\\')) return undefined
  return readJsonString(value.replaceAll('\n', '\\n'))
}

function base64Decoded(value: string): string | undefined {
  if (value.length < 12 || value.length > 4096 || !/^[\w+/-]+={0,2}$/.test(value)) return undefined
  const decoded = Buffer.from(value, 'base64').toString('latin1')
  return decoded.length >= 8 && /^[ -~]+$/.test(decoded) ? decoded : undefined
}
