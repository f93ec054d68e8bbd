import { singleSpaced } from '../session/clean-text.ts'

/** A piece of a message: the user's words, or pasted output. */
export interface MessagePiece {
  readonly text: string
  readonly pasted: boolean
}

/** Minimum lines of output in a block: a path, a list or a snippet belongs to the words around it. */
const minLines = 10

/** Minimum characters in such a block: a smaller one displaces nothing. */
const minLength = 800

/** Maximum lines of words inside a block: messages of a log, a comment in code. */
const maxBetween = 2

/**
 * Separates pasted output from what the user wrote: blocks of lines that are not words (numbers, code, logs, tables).
 * The pieces joined by line breaks are the message.
 */
export function splitPasted(message: string): MessagePiece[] {
  const lines = message.split('\n')
  if (lines.length < minLines || message.length < minLength) return [{ text: message, pasted: false }]
  const output: boolean[] = []
  // Indented lines below a line of output belong to it.
  for (const [at, line] of lines.entries())
    output.push(
      isOutput(line) || isPastedLine(line) || (output[at - 1] === true && /^(?: {4}|\t)\s*\S/.test(line)),
    )
  const pasted = new Array<boolean>(lines.length).fill(false)
  for (let at = 0; at < lines.length; at++) {
    if (output[at] !== true) continue
    const { end, count } = blockFrom(lines, output, at)
    const length = lines.slice(at, end).reduce((sum, line) => sum + line.length, 0)
    if (count >= minLines && length >= minLength) pasted.fill(true, at, end)
    at = end - 1
  }
  const pieces: { lines: string[]; pasted: boolean }[] = []
  lines.forEach((line, index) => {
    const last = pieces.at(-1)
    if (last !== undefined && last.pasted === pasted[index]) last.lines.push(line)
    else pieces.push({ lines: [line], pasted: pasted[index] === true })
  })
  return pieces.map((piece) => ({ text: piece.lines.join('\n'), pasted: piece.pasted }))
}

function blockFrom(
  lines: readonly string[],
  output: readonly boolean[],
  start: number,
): { end: number; count: number } {
  let end = start
  let count = 0
  let between = 0
  for (let at = start; at < lines.length && between <= maxBetween; at++) {
    if (lines[at]?.trim() === '') continue
    if (output[at] === true) {
      end = at + 1
      count++
      between = 0
    } else between++
  }
  return { end, count }
}

function isOutput(line: string): boolean {
  const text = line.trim().slice(0, 400)
  if (text === '') return false
  if (/[\u2e80-\uffdc]{4}/.test(text)) return false
  const words = text.match(/(?<![\p{L}\p{N}_./-])\p{L}[\p{L}'’-]*(?![\p{L}\p{N}_/(=[-]|\.\S)/gu) ?? []
  if (words.length < 3) return true
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  return letters < text.replace(/\s/g, '').length * 0.55
}

const pasted = anyOf([
  /^at .{1,300}[(:]\d+|^at \S+ \(/,
  /^File ".{1,300}", line \d+/,
  /^[[{]\s*(?:["{[]|$)|^["']\S{1,80}["']\s*:|^[}\])]+[,;]?$/,
  /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/,
  /^\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b[\]:]?\s/,
  /^(?:diff --git|index [\da-f]{7}|@@ |\+\+\+ |--- [ab]\/)/,
  /^(?:\$|❯|➜|%|PS [A-Z]:) \S/,
  /^<\/?[A-Za-z][^<>]{0,200}>.{0,200}<\/|^<\/?[\w-]{1,40}>$/,
  /^(?:import|export|const|let|var|function|class|return|public|private|def|func|package|#include|if \(|for \(|while \()\b.{0,200}[;{(=:]\s*$/,
  /^(?:FAILED|PASSED|FAIL|---) \S|^(?:not )?ok (?:\d+ |\S+\s+(?:[\d.]+s|\(cached\)))|^(?:[\d.]{1,12} )?(?:npm|yarn|pnpm) (?:ERR!|error|warn|WARN)|^(?:error TS\d+|warning:|error:|Traceback )/,
  /^\S{1,200}:\d+:\d+[:\s]/,
  /^(?:[+-]?\s*\d{1,5}\s+[-+]?\s*|[+-]\s*)?(?:\/\/|\/\*|#!)|^[+-] ?\d{1,5}\s{1,4}\S/,
])

function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'))
}

const oddCharacters = /[^\p{L}\p{N}\s.,:;'"`!?()/-]+/gu

/** Whether a line alone looks like pasted output, code or data: a stack frame, JSON, a log, a diff, markup. */
export function isPastedLine(raw: string): boolean {
  const line = singleSpaced(raw.slice(0, 2000))
  if (pasted.test(line.slice(0, 600))) return true
  // An added or removed line of a diff has no space after its mark, and code is mostly not words.
  if (/^[+-](?![\s-])\S/.test(raw) && /[;{}()=]/.test(line)) return true
  const head = line.slice(0, 300)
  if (head.length <= 20) return false
  const odd = head.match(oddCharacters)?.reduce((sum, run) => sum + run.length, 0) ?? 0
  return odd > head.length * 0.25
}
