import { createFinder } from './finder.ts'
import { marksIn } from './placeholder.ts'
import type { Reading } from './readings/reading.ts'
import type { Redactor, SecretFinding } from './redactor.ts'
import { jsonSlots, numberAt, writeJsonSlots } from './slots/json-slots.ts'
import { escapedStrings, readJsonString, writeJsonString } from './slots/json-strings.ts'
import { leavesOf, replaceLeaves, type SlotPlace, type Slots, slotContext, slotPlace } from './slots/slots.ts'
import { joinSpans, meets, replaceSpans } from './spans.ts'
import { untilStable } from './until-stable.ts'
import { type KnownSpan, knownValues } from './values/known-values.ts'

/** Options for redacting a text. */
export interface RedactTextOptions {
  /** Put the line breaks of a replaced part after its mark, so that no line changes its number. @default false */
  readonly keepLines?: boolean | undefined
  /** The text was already learned, so it need not be learned again. @default false */
  readonly learned?: boolean | undefined
}

/**
 * The secrets of one session: what redactors found, and the mark for each value. Texts are first learned and then
 * redacted, so that a value found in one text is replaced in all, in any of its forms. Redacting twice changes nothing.
 */
export interface Redaction {
  /** Remembers the secrets of a text, also of JSON in it. */
  learn(text: string): void
  /** Remembers the secrets of a JSON value; a string is seen with its key. */
  learnValue(value: unknown): void
  /**
   * Replaces the text's own secrets, and all learned ones in any form, by marks. In a JSON text, only the strings
   * concerned change, and numbers that are secrets become strings.
   */
  redact(text: string, options?: RedactTextOptions): string
  /**
   * A deep copy with all strings and keys redacted; unchanged parts are returned themselves. Nesting up to 200 levels.
   */
  redactValue<T>(value: T): T
  /** How many parts of a JSON value `redactValue` would replace. */
  leaks(value: unknown): number
  /** Whether nothing that was learned holds a secret: redacting it would change nothing. */
  readonly isClean: boolean
  /** Number of distinct secrets. */
  readonly count: number
  /** Number of replaced parts of texts. */
  readonly hits: number
  /** Grows with each secret, and with each new spelling of one: a larger number calls for another pass. */
  readonly learned: number
  /** Distinct secrets by type, most first. */
  types(): [type: string, count: number][]
}

interface ContextFinding {
  readonly place: SlotPlace
  readonly finding: SecretFinding
}

/** JSON in a string in a JSON string, and so on: a line of a log and up to three strings within strings. */
const deepest = 4
/** A shorter text holds no secret, unless its key says that it is one. */
const minTextLength = 4
/** A shorter number is too common to search for. */
const minNumberLength = 12

/** Creates the state of one session, empty. */
export function createRedaction(redactors: readonly Redactor[]): Redaction {
  const finder = createFinder(redactors)
  const known = knownValues()
  let hits = 0
  /** Whether a text was learned without the strings nested in it, because it was itself nested too deeply. */
  let learnedInPart = false
  const isClean = (): boolean => known.count === 0 && !learnedInPart

  function learnText(text: string, depth: number): void {
    if (text.length < minTextLength || finder.isPlain(text)) return
    const slots = depth < deepest ? jsonSlots(text) : undefined
    if (slots !== undefined) {
      learnSlots(slots, depth + 1)
      return
    }
    // Not asked of JSON: looking up a text takes longer the longer it is, and each line of a log is new.
    if (!finder.isNew(text)) return
    learnedInPart ||= depth >= deepest && text.includes('"')
    // From the inside out, so that an escaped form of a value is recognised as that value.
    if (depth < deepest)
      for (const { start, end } of escapedStrings(text)) {
        const plain = readJsonString(text.slice(start, end))
        if (plain !== undefined) learnText(plain, depth + 1)
      }
    // Before the text itself, which may hold a line of the whole value that a reading holds.
    if (depth < deepest)
      for (const reading of finder.readings(text))
        for (const { start, end, type } of finder.find(reading.text))
          if (reading.spans({ start, end }).length > 0)
            known.know(reading.text.slice(start, end), type).found++
    for (const { start, end, type } of finder.find(text)) known.know(text.slice(start, end), type).found++
  }

  function learnSlots(slots: Slots, depth: number): void {
    for (const { place, finding } of findInContext(slots, true)) {
      const parts = place.part === 'text' ? slots.texts : slots.befores
      const text = parts[place.slot] as string
      const span = place.part === 'text' ? finding : numberAt(text, finding)
      if (span !== undefined) known.know(text.slice(span.start, span.end), finding.type).found++
    }
    for (const text of slots.texts) learnText(text, depth)
  }

  function findInContext(slots: Slots, onlyNew: boolean): ContextFinding[] {
    if (slots.texts.length < 2) return []
    const parts = slotContext(slots)
    if (onlyNew && !finder.isNew(parts.text)) return []
    let at = 0
    return finder.find(parts.text).flatMap(({ start, end, type }) => {
      while (at < parts.ends.length && (parts.ends[at] as number) <= start) at++
      // A finding is part of one string; anything before that string is the key, a quote or a space.
      let reached = at
      let place = slotPlace(parts, reached)
      while (isBefore(place) && (slotPlace(parts, reached + 1)?.start ?? end) < end)
        place = slotPlace(parts, ++reached)
      const parted: ContextFinding[] = [] // A key may be a list of its lines.
      for (let next = reached + 1; type === 'private-key'; next++) {
        const line = slotPlace(parts, next)
        if (line === undefined || line.start >= end) break
        if (isBefore(line)) continue
        parted.push({ place: line, finding: { start: 0, end: line.end - line.start, type } })
      }
      if (place === undefined || place.start === place.end) return parted
      const from = Math.max(start, place.start) - place.start
      const to = Math.min(end, place.end) - place.start
      const whole = place.part === 'text' && from === 0 && isOneValue(slots.texts[place.slot] as string, to)
      return [{ place, finding: { start: from, end: whole ? place.end - place.start : to, type } }, ...parted]
    })
  }

  function spansOf(text: string, found: readonly SecretFinding[]): KnownSpan[] {
    const readings = finder.isPlain(text) ? [] : finder.readings(text)
    const own = [...readings.flatMap(ownSpansIn), ...knownSpans(text, found)]
    known.weigh(finder.texts())
    const elsewhere = [
      ...known.find(text),
      ...readings.flatMap((reading) => known.find(reading.text).flatMap((span) => spansIn(reading, span))),
    ]
    if (own.length === 0 && elsewhere.length === 0) return own
    const marks = marksIn(text)
    return joinSpans([...own, ...elsewhere].filter((span) => !meets(span, marks)))
  }

  function knownSpans(text: string, found: readonly SecretFinding[]): KnownSpan[] {
    return found.map(({ start, end, type }) => ({
      start,
      end,
      value: known.know(text.slice(start, end), type),
    }))
  }

  function ownSpansIn(reading: Reading): KnownSpan[] {
    const crossing = finder.find(reading.text).filter((span) => reading.spans(span).length > 0)
    return knownSpans(reading.text, crossing).flatMap((span) => spansIn(reading, span))
  }

  function rewriteText(text: string, depth: number, options: RedactTextOptions): string {
    return untilStable(text, (current) => rewriteOnce(current, depth, [], options))
  }

  function rewriteOnce(
    text: string,
    depth: number,
    context: readonly SecretFinding[],
    options: RedactTextOptions,
  ): string {
    if (text.length < minTextLength && context.length === 0) return text
    const slots = depth < deepest ? jsonSlots(text) : undefined
    if (slots !== undefined) {
      const clean = rewriteSlots(slots, depth + 1)
      if (clean !== slots) return writeJsonSlots(text, slots, clean)
      return context.length === 0 ? text : replace(text, spansOf(text, context), options)
    }
    const inner = depth < deepest ? rewriteEscaped(text, depth) : text
    const found = finder.find(inner)
    return replace(inner, spansOf(inner, inner === text ? [...context, ...found] : found), options)
  }

  function replace(text: string, spans: readonly KnownSpan[], { keepLines }: RedactTextOptions): string {
    if (spans.length === 0) return text
    hits += spans.length
    const breaks = (span: KnownSpan): string => text.slice(span.start, span.end).replace(/[^\n]+/g, '')
    return replaceSpans(text, spans, (span) => span.value.mark + (keepLines ? breaks(span) : ''))
  }

  function rewriteEscaped(text: string, depth: number): string {
    const changed = escapedStrings(text).flatMap((span) => {
      const plain = readJsonString(text.slice(span.start, span.end))
      if (plain === undefined) return []
      const clean = rewriteText(plain, depth + 1, {})
      return clean === plain ? [] : [{ ...span, clean }]
    })
    if (changed.length === 0) return text
    return replaceSpans(text, changed, ({ clean }) => writeJsonString(clean))
  }

  /** The slots after redaction; the same object if nothing changed. */
  function rewriteSlots(slots: Slots, depth: number): Slots {
    return untilStable(slots, (current) => {
      const context = new Map<number, ContextFinding[]>()
      for (const found of findInContext(current, false))
        context.set(found.place.slot, [...(context.get(found.place.slot) ?? []), found])
      const findings = (slot: number, part: SlotPlace['part']): SecretFinding[] =>
        (context.get(slot) ?? []).flatMap(({ place, finding }) => (place.part === part ? [finding] : []))
      const texts: string[] = []
      const befores: string[] = []
      for (const [slot, text] of current.texts.entries()) {
        texts.push(rewriteOnce(text, depth, findings(slot, 'text'), {}))
        befores.push(rewriteNumbers(current.befores[slot] as string, findings(slot, 'before')))
      }
      return sameTexts(texts, current.texts) && sameTexts(befores, current.befores)
        ? current
        : { befores, texts }
    })
  }

  /** A number that is a secret becomes a string. */
  function rewriteNumbers(gap: string, found: readonly SecretFinding[]): string {
    if (found.length === 0 && gap.length < minNumberLength) return gap
    const own = found.flatMap((finding) => {
      const number = numberAt(gap, finding)
      if (number === undefined) return []
      return [{ ...number, value: known.know(gap.slice(number.start, number.end), finding.type) }]
    })
    const elsewhere = known.find(gap).flatMap((span) => {
      const number = numberAt(gap, span)
      return number === undefined ? [] : [{ ...span, ...number }]
    })
    const numbers = [...own, ...elsewhere]
    const spans = joinSpans(numbers)
    hits += spans.length
    return replaceSpans(gap, spans, ({ value }) => `"${value.mark}"`)
  }

  function rewriteValue<T>(value: T): T {
    const slots = leavesOf(value)
    const clean = rewriteSlots(slots, 0)
    if (clean === slots) return value
    return replaceLeaves(value, clean.texts) as T
  }

  return {
    learn: (text) => learnText(text, 0),
    learnValue: (value) => learnSlots(leavesOf(value), 0),
    redact(text, options = {}) {
      if (options.learned !== true) {
        learnText(text, 0)
        if (isClean()) return text
      }
      return rewriteText(text, 0, options)
    },
    redactValue(value) {
      learnSlots(leavesOf(value), 0)
      return isClean() ? value : rewriteValue(value)
    },
    leaks(value) {
      const before = hits
      rewriteValue(value)
      const found = hits - before
      hits = before
      return found
    },
    types: () => known.types(),
    get isClean() {
      return isClean()
    },
    get count() {
      return known.count
    },
    get hits() {
      return hits
    },
    get learned() {
      return known.learned
    },
  }
}

function spansIn(reading: Reading, span: KnownSpan): KnownSpan[] {
  return reading.spans(span).map((place) => ({ ...place, value: span.value }))
}

/** Whether a place has no text of its own: it precedes a string, or is an empty string. */
function isBefore(place: SlotPlace | undefined): boolean {
  return place !== undefined && (place.part === 'before' || place.start === place.end)
}

/** A value that contains a quote seems to end there, because strings are unescaped in their context. */
function isOneValue(text: string, end: number): boolean {
  return text[end] === '"' && !/\s/.test(text)
}

function sameTexts(some: readonly string[], others: readonly string[]): boolean {
  return some.every((text, index) => text === others[index])
}
