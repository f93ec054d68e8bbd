import type { SecretFinding } from '../redactor.ts'

/**
 * How specific a type is. If findings meet, the more specific one names the mark. Unlisted types are the most specific.
 */
const weights = new Map([
  ['credential', 0],
  ['email', 0],
  ['password', 1],
  ['secret', 1],
  ['access-token', 1],
  ['api-key', 1],
  ['kubernetes-secret', 1],
  ['url-password', 2],
  ['bearer-token', 2],
  ['basic-auth', 2],
  ['api-token', 2],
])
const most = 3

/** Sorts findings and joins those that share characters. Those that touch a mark `[redacted:…]` are dropped. */
export function mergeFindings(text: string, findings: readonly SecretFinding[]): readonly SecretFinding[] {
  if (findings.length === 0) return findings
  const marks = marksOf(text)
  const sorted = [...findings].sort((a, b) => a.start - b.start || b.end - a.end)
  const merged: SecretFinding[] = []
  let mark = 0
  for (const finding of sorted) {
    while (mark < marks.length && marks[mark]!.end <= finding.start) mark += 1
    if (mark < marks.length && marks[mark]!.start < finding.end) continue
    const last = merged[merged.length - 1]
    if (last === undefined || finding.start >= last.end) merged.push(finding)
    else merged[merged.length - 1] = join(last, finding)
  }
  return merged
}

function join(first: SecretFinding, second: SecretFinding): SecretFinding {
  const type = weightOf(second.type) > weightOf(first.type) ? second.type : first.type
  return { start: first.start, end: Math.max(first.end, second.end), type }
}

function weightOf(type: string): number {
  return weights.get(type) ?? most
}

const markPattern = /\[redacted:[a-z0-9-]{1,60}(?::\d{1,9})?\]/g

function marksOf(text: string): readonly { readonly start: number; readonly end: number }[] {
  if (!text.includes('[redacted:')) return []
  return Array.from(text.matchAll(markPattern), (found) => ({
    start: found.index,
    end: found.index + found[0].length,
  }))
}
