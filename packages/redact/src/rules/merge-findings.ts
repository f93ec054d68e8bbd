import { marksIn } from '../placeholder.ts'
import type { SecretFinding } from '../redactor.ts'
import { meets } from '../spans.ts'

/** Types that say little, the vaguest at the end. If findings meet, the more specific one names the mark. */
const vague =
  'api-token url-password bearer-token basic-auth api-key access-token password secret kubernetes-secret credential email'.split(
    ' ',
  )

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
      const type = vague.indexOf(finding.type) < vague.indexOf(last.type) ? finding.type : last.type
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, finding.end), type }
    }
  }
  return merged
}
