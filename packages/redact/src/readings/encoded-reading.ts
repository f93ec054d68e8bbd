import { readingOf } from './joined-reading.ts'
import type { Reading } from './reading.ts'

/** The shortest run that is read: shorter than the tokens of most vendors once they are encoded. */
const minRun = 40
/** Characters by which a run is tried. Of random bytes, hardly any so many are all printable. */
const tried = 32
const printable = /^[\t\n\r\x20-\x7e]+$/
const hexRun = /^(?:[0-9a-f]{2})+$/i

/** Characters of ASCII as URLs, strings of code, HTML and mails escape them. */
const escaped = /%[2-7][0-9a-f]|\\{1,4}(?:u00|x)[2-7][0-9a-f]|&#(?:x[2-7][0-9a-f]|\d{2,3});|=[2-7][0-9A-F]/gi
/** Nobody needs to escape so many characters in a row: they hide what they say. */
const hidden = new RegExp(`(?:${escaped.source}){6}`, 'iy')
const leads = ['%', '\\u00', '\\x', '&#', '=']

function isHidden(text: string): boolean {
  return leads.some((lead) => {
    // To look for the first characters takes a tenth of the time that the pattern takes.
    for (let at = text.indexOf(lead); at >= 0; at = text.indexOf(lead, at + 1)) {
      hidden.lastIndex = at
      if (hidden.test(text)) return true
    }
    return false
  })
}

/** A text whose every character is escaped, as what it says. */
export function escapedReadings(text: string): Reading[] {
  if (!isHidden(text)) return []
  const joints = Array.from(text.matchAll(escaped), ({ 0: code, index }) => {
    const decimal = /^&#(\d+);/.exec(code)?.[1]
    const point =
      decimal === undefined ? Number.parseInt(code.replace(';', '').slice(-2), 16) : Number(decimal)
    return { start: index, end: index + code.length, as: String.fromCharCode(point) }
  })
  return [readingOf(text, { start: 0, end: text.length, joints }, { crossingOnly: true })]
}

/** Texts in base64 or hex within a text, as what they say. Images, digests and other bytes are no texts. */
export function encodedReadings(text: string): Reading[] {
  const readings: Reading[] = []
  // Each run holds one of these positions.
  for (let at = minRun - 1; at < text.length; at += minRun) {
    if (!isCode(text.charCodeAt(at))) continue
    let start = at
    while (start > 0 && isCode(text.charCodeAt(start - 1))) start--
    let end = at + 1
    while (end < text.length && isCode(text.charCodeAt(end))) end++
    const reading = end - start < minRun ? undefined : readRun(text.slice(start, end), start)
    if (reading !== undefined) readings.push(reading)
    at = Math.max(at, end)
  }
  return readings
}

function readRun(run: string, start: number): Reading | undefined {
  const head = run.slice(0, tried)
  const isHex = hexRun.test(head)
  const encoding = isHex ? 'hex' : 'base64'
  if (!printable.test(Buffer.from(head, encoding).toString('latin1'))) return undefined
  // So many characters of the run say so many of the text.
  const [coded, plain] = isHex ? [2, 1] : [4, 3]
  return {
    text: Buffer.from(run, encoding).toString('latin1'),
    spans: (span) => [
      {
        start: start + Math.floor((span.start * coded) / plain),
        end: start + Math.min(run.length, Math.ceil((span.end * coded) / plain)),
      },
    ],
  }
}

/** Letters, digits, `+` and `/`. */
function isCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 43
  )
}
