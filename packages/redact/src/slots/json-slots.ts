import { replaceSpans, type Span } from '../spans.ts'
import { jsonStrings, readJsonString, writeJsonString } from './json-strings.ts'
import type { Slots } from './slots.ts'

/** The strings of a JSON text, with start and end of each in turn, quotes not included. */
export interface JsonSlots extends Slots {
  readonly positions: readonly number[]
}

/**
 * The strings of a JSON text and, as an empty last slot, the text after them; `undefined` if the text is not JSON.
 * Concatenated and truncated records are JSON too, as long as no string is left open.
 */
export function jsonSlots(text: string): JsonSlots | undefined {
  if (!text.includes('"') || !/^[\s\ufeff]*[{[]/.test(text)) return undefined
  const positions = jsonStrings(text)
  if (positions === undefined || positions.length === 0) return undefined
  positions.push(text.length, text.length)
  const befores: string[] = []
  const texts: string[] = []
  let at = 0
  for (let index = 0; index < positions.length; index += 2) {
    const start = positions[index] as number
    const end = positions[index + 1] as number
    const before = text.slice(at, start)
    const plain = readJsonString(text.slice(start, end))
    if (plain === undefined || !isBetweenStrings(before)) return undefined
    befores.push(before)
    texts.push(plain)
    at = end
  }
  return { befores, texts, positions }
}

/** The JSON text with the changed slots; everything else stays byte for byte. */
export function writeJsonSlots(text: string, slots: JsonSlots, changed: Slots): string {
  const pieces = slots.texts.flatMap((old, slot) => {
    const before = slots.befores[slot] as string
    const newBefore = changed.befores[slot] as string
    const newText = changed.texts[slot] as string
    const start = slots.positions[2 * slot] as number
    const end = slots.positions[2 * slot + 1] as number
    const gap = { start: start - before.length, end: start, text: newBefore }
    const string = { start, end, text: writeJsonString(newText) }
    return [...(newBefore === before ? [] : [gap]), ...(newText === old ? [] : [string])]
  })
  return replaceSpans(text, pieces, (piece) => piece.text)
}

/** The number between strings that a span touches. */
export function numberAt(gap: string, { start, end }: Span): Span | undefined {
  const digit = gap.slice(start, end).search(/\d/)
  if (digit === -1) return undefined
  let from = start + digit
  let to = from
  while (isNumberPart(gap[from - 1])) from--
  while (isNumberPart(gap[to])) to++
  return { start: from, end: to }
}

function isNumberPart(char: string | undefined): boolean {
  return char !== undefined && /[\d.eE+-]/.test(char)
}

function isBetweenStrings(text: string): boolean {
  // Most are a colon or a comma between quotes.
  if (text === '":"' || text === '","' || text === '":' || text === '":{"') return true
  return !/[^\s\ufeff\0"{}[\],:\d.eE+-]/.test(text.replace(/true|false|null/g, ''))
}
