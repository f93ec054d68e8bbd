import { replaceSpans, type Span } from '../spans.ts'
import { jsonStrings, readJsonString, writeJsonString } from './json-strings.ts'
import type { Slot } from './slots.ts'

/** A string of a JSON text and its position, quotes not included. */
export interface JsonSlot extends Slot, Span {}

/**
 * The strings of a JSON text and, as an empty last slot, the text after them; `undefined` if the text is not JSON.
 * Concatenated and truncated records are JSON too, as long as no string is left open.
 */
export function jsonSlots(text: string): JsonSlot[] | undefined {
  if (!text.includes('"') || !/^[\s\ufeff]*[{[]/.test(text)) return undefined
  const strings = jsonStrings(text)
  if (strings === undefined || strings.length === 0) return undefined
  const slots: JsonSlot[] = []
  let at = 0
  for (const { start, end } of [...strings, { start: text.length, end: text.length }]) {
    const before = text.slice(at, start)
    const plain = readJsonString(text.slice(start, end))
    if (plain === undefined || !isBetweenStrings(before)) return undefined
    slots.push({ before, text: plain, start, end })
    at = end
  }
  return slots
}

/** The JSON text with the changed slots; everything else stays byte for byte. */
export function writeJsonSlots(text: string, slots: readonly JsonSlot[], changed: readonly Slot[]): string {
  const pieces = slots.flatMap((slot, index) => {
    const next = changed[index] ?? slot
    const gap = { start: slot.start - slot.before.length, end: slot.start, text: next.before }
    const string = { start: slot.start, end: slot.end, text: writeJsonString(next.text) }
    return [...(next.before === slot.before ? [] : [gap]), ...(next.text === slot.text ? [] : [string])]
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
  return !/[^\s\ufeff\0"{}[\],:\d.eE+-]/.test(text.replace(/true|false|null/g, ''))
}
