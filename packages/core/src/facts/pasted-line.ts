import { singleSpaced } from '../session/clean-text.ts'

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

/** Whether a line alone reads as output, code or data that was pasted: a stack frame, JSON, a log, a diff, markup. */
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
