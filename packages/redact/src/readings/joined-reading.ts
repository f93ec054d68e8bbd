import { type Edit, edited } from '../edited.ts'
import type { Reading } from './reading.ts'

/**
 * Text between two literals that code joins into one: an operator, a line break with the indentation, line number or
 * diff sign of the next line. A comma joins nothing.
 */
const jointPattern =
  /(["'`])(?:[ \t]{1,40}|(?=[+.&\\\r\n]))(?:[+.&]|\|\||\\(?=\r?\n))?[ \t]{0,40}(?:\r?\n(?:[+-]|[ \t]{0,8}\d{1,6}(?:\t|→|:))?[ \t]{0,120})?(?:[+.&][ \t]{0,8})?[bruf]{0,2}\\{0,3}\1/g
const quote = /["'`]/
/** Maximum number of backslashes before the quote that belong to a joint. */
const maxEscapes = 3
/** Maximum distance from a joint to the name of a value and the rest of its literals. */
const reach = 300

interface Window {
  readonly start: number
  end: number
  readonly joints: readonly Edit[]
}

/** The text around adjacent literals, as if they were one; only what crosses a joint counts. */
export function joinedReadings(text: string): Reading[] {
  if (!quote.test(text)) return []
  const windows: (Window & { readonly joints: Edit[] })[] = []
  let jointEnd = 0
  for (const match of text.matchAll(jointPattern)) {
    // Before the match, not in the pattern: a pattern that begins with a quote is found several times faster.
    let start = match.index
    while (start > jointEnd && match.index - start < maxEscapes && text[start - 1] === '\\') start--
    jointEnd = match.index + match[0].length
    const joint = { start, end: jointEnd }
    const last = windows.at(-1)
    if (last !== undefined && joint.start - reach <= last.end) {
      last.joints.push(joint)
      last.end = Math.min(text.length, joint.end + reach)
    } else {
      const start = Math.max(last?.end ?? 0, joint.start - reach)
      windows.push({ start, end: Math.min(text.length, joint.end + reach), joints: [joint] })
    }
  }
  return windows.map((window) => readingOf(text, window, { crossingOnly: true }))
}

/** A part of a text without its joints, or with what they stand for. */
export function readingOf(
  text: string,
  { start, end, joints }: Window,
  options: { readonly crossingOnly: boolean },
): Reading {
  const joined = edited(text, joints, start, end)
  return {
    text: joined.text,
    spans(span) {
      const [first, last] = joined.inside(span)
      const original = joined.original(span)
      const inJoint = joints[last]?.as !== undefined && original.end === joints[last]?.end
      const crosses = first < last || inJoint || span.start === joined.seams[first - 1]
      return crosses || !options.crossingOnly ? [original] : []
    },
  }
}
