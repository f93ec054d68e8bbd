import { marksIn } from '../placeholder.ts'
import type { SecretFinding } from '../redactor.ts'
import { joinSpans, meets } from '../spans.ts'

/** Types that say little, the vaguest at the end. If findings meet, the more specific one names the mark. */
const vague =
  'api-token url-password bearer-token basic-auth api-key access-token password secret kubernetes-secret credential email'.split(
    ' ',
  )

/** Sorts findings and joins those that share characters. Those that touch a mark `[redacted:…]` are dropped. */
export function mergeFindings(text: string, findings: readonly SecretFinding[]): readonly SecretFinding[] {
  if (findings.length === 0) return findings
  const marks = marksIn(text)
  return joinSpans(
    findings.filter((finding) => !meets(finding, marks)),
    (one, than) => vague.indexOf(one.type) < vague.indexOf(than.type),
  )
}
