import { writeJsonString } from '../slots/json-strings.ts'
import { squeezed } from '../squeeze.ts'

/** Minimum length of a form that is searched for everywhere. */
export const minFormLength = 8

/** Longer values (a whole key file) are searched for as they are and line by line. */
const maxEncodedLength = 16 * 1024

/**
 * The spellings of a value: as it is, JSON-escaped once and twice, percent-encoded, HTML-escaped, in
 * hex, in base64 alone or within a longer base64 text. All of them without line breaks and control characters.
 */
export function valueForms(value: string): Set<string> {
  const forms = new Set<string>([value, ...keyLines(value)])
  if (value.length <= maxEncodedLength) {
    const escaped = [...jsonForms(value), ...jsonForms(squeezed(value))]
    const coded = base64Forms(Buffer.from(value))
    for (const form of [...escaped, ...percentForms(value), ...htmlForms(value), ...hexForms(value)])
      forms.add(form)
    for (const form of coded) {
      forms.add(form)
      if (/[+/=]/.test(form)) forms.add(encodeURIComponent(form)).add(form.replaceAll('/', '\\/'))
    }
  }
  return new Set([...forms].map(squeezed).filter((form) => form.length >= minFormLength))
}

/** The lines of a value of several lines, such as a PEM file: a log may hold them separately. */
function keyLines(value: string): string[] {
  if (!value.includes('\n')) return []
  return value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^[\w+/=-]{12,}$/.test(line) && !line.startsWith('---') && !/^[a-z_]+$/i.test(line))
}

function jsonForms(value: string): string[] {
  const once = writeJsonString(value)
  const ascii = toAscii(once)
  const all = [once, ascii, once.replaceAll('/', '\\/'), ascii.replace(/[&<>']/g, unicodeEscape)]
  return [...new Set(all)].flatMap((form) => [form, writeJsonString(form)])
}

/** As `json.dumps` of Python and others write it. */
function toAscii(value: string): string {
  return value.replace(/[^\u0000-\u007f]/g, unicodeEscape)
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function percentForms(value: string): string[] {
  const coded = encodeURIComponent(value.toWellFormed())
  const strict = coded.replace(/[!'()*]/g, percentEscape)
  const all = [
    coded,
    strict,
    coded.replace(/[~_.-]/g, percentEscape),
    coded.replaceAll('%20', '+'),
    encodeURI(value.toWellFormed()),
  ]
  return all.flatMap((form) => [form, lowerHex(form), encodeURIComponent(form)])
}

function percentEscape(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

function lowerHex(coded: string): string {
  return coded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
}

function htmlForms(value: string): string[] {
  const tags = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = tags.replaceAll('"', '&quot;')
  const single = ['&#39;', '&#x27;', '&#039;', '&apos;'].map((code) => quoted.replaceAll("'", code))
  return [tags, quoted, ...single, tags.replaceAll('"', '&#34;').replaceAll("'", '&#39;')]
}

function hexForms(value: string): string[] {
  const hex = Buffer.from(value).toString('hex')
  return [hex, hex.toUpperCase()]
}

/**
 * Base64 of bytes alone, and the characters that stay the same no matter where the bytes are in a longer base64 text.
 */
function base64Forms(bytes: Buffer): string[] {
  const padded = bytes.toString('base64')
  const inner = [0, 1, 2].map((before) => {
    const coded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return coded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  const forms = [padded, padded.replace(/=+$/, ''), ...inner]
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}
