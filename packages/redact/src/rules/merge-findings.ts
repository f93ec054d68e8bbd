import { marksIn } from '../placeholder.ts'
import type { SecretFinding } from '../redactor.ts'
import { meets } from '../spans.ts'

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
  const marks = marksIn(text)
  const merged: SecretFinding[] = []
  for (const finding of [...findings].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (meets(finding, marks)) continue
    if (last === undefined || finding.start >= last.end) merged.push(finding)
    else {
      const type = weightOf(finding.type) > weightOf(last.type) ? finding.type : last.type
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, finding.end), type }
    }
  }
  return merged
}

function weightOf(type: string): number {
  return weights.get(type) ?? most
}
