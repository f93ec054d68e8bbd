import { createHash } from 'node:crypto'
import { patternRedactor } from '../src/pattern-redactor.ts'

/** A value like a random token, never in clear in this repository. */
export function planted(seed: string, length = 32): string {
  return `tok_${createHash('sha512').update(seed).digest('base64url').replace(/[-_]/g, 'x').slice(0, length)}`
}

/** Finds what `planted` makes. */
export const tokens = patternRedactor({ type: 'test-token', pattern: /\btok_[A-Za-z0-9]{20,}/ })

/** Finds `password: …` and `"password": "…"`. */
export const passwords = patternRedactor({
  type: 'password',
  pattern: /password["']?[ ]?[:=][ ]?["']?([^\s"',]{3,80})/,
})

/** The forms of a value that a text still holds, found without the code under test. */
export function formsLeft(haystack: string, value: string): string[] {
  const json = (text: string): string => JSON.stringify(text).slice(1, -1)
  const percent = encodeURIComponent(value)
  const forms: [string, string][] = [
    ['raw', value],
    ['JSON', json(value)],
    ['JSON twice', json(json(value))],
    ['percent', percent],
    ['percent, lower case', percent.replace(/%../g, (code) => code.toLowerCase())],
    ['HTML', html(value)],
    ['hex', Buffer.from(value).toString('hex')],
    ...[0, 1, 2].flatMap((shift): [string, string][] => {
      const stable = stableBase64(value, shift)
      return [
        [`base64 at ${shift}`, stable],
        [`base64url at ${shift}`, stable.replaceAll('+', '-').replaceAll('/', '_')],
      ]
    }),
  ]
  // A line break or an escape in the middle hides nothing.
  const joined = haystack.replace(/\u001b\[[0-9;]*m|\n[ \t]*/g, '')
  return forms.filter(([, form]) => haystack.includes(form) || joined.includes(form)).map(([name]) => name)
}

function html(value: string): string {
  const codes: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return value.replace(/[&<>"']/g, (char) => codes[char] ?? char)
}

/** The longest part that is common to all base64 texts which hold the value after `shift` other bytes. */
function stableBase64(value: string, shift: number): string {
  const bytes = Buffer.from(value)
  const around = ['\u0000', 'z'].map((byte) =>
    Buffer.concat([Buffer.from(byte.repeat(shift)), bytes, Buffer.from(byte.repeat(3))]).toString('base64'),
  )
  const [a = '', b = ''] = around
  const same = [...a].map((char, index) => (char === b[index] ? char : ' ')).join('')
  return same.split(' ').sort((x, y) => y.length - x.length)[0] ?? ''
}

/** A text that holds a value in every form that `formsLeft` knows, wrapped and coloured too. */
export function everyForm(value: string): string {
  const json = JSON.stringify({ a: value })
  const half = Math.floor(value.length / 2)
  return [
    value,
    json,
    JSON.stringify(json),
    `https://example.com/?q=${encodeURIComponent(value)}`,
    encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    html(value),
    Buffer.from(value).toString('hex'),
    ...[0, 1, 2].map((shift) => Buffer.from(`${'u'.repeat(shift)}${value}:end`).toString('base64')),
    ...[0, 1, 2].map((shift) => Buffer.from(`${'u'.repeat(shift)}${value}:end`).toString('base64url')),
    Buffer.from(value).toString('base64'),
    `${value.slice(0, half)}\n    ${value.slice(half)}`,
    `\u001b[31m${value.slice(0, half)}\u001b[0m${value.slice(half)}`,
  ].join(' | \n')
}
