import type { ContextBundle } from '../bundle/schema.ts'
import { isPartOf, type Matter, matterOf } from '../facts/statements/same-matter.ts'
import { shortLine } from '../session/short-line.ts'
import { uniteEvidence } from '../summarize/summary-lists.ts'

type Problems = Pick<ContextBundle, 'errors'> & { readonly blockers: ContextBundle['workflow']['blockers'] }

/** What is left of the message of an error that a blocker states in full. */
const shortMessage = 90

/**
 * Leaves a problem in full in one place only: a blocker that says no more than an open error of the log is left out,
 * and an open error that a blocker states in full keeps its first line.
 */
export function withoutRepeatedProblems({ errors, blockers }: Problems): Problems {
  if (blockers.length === 0 || errors.every(({ resolution }) => resolution !== undefined))
    return { errors, blockers }
  const told = new Map(blockers.map((blocker) => [blocker, matterOf(blocker.text)]))
  const left = new Set(blockers)
  const kept = errors.map((error) => {
    if (error.resolution !== undefined) return error
    const matter = matterOf(error.message)
    const repeated = blockers.filter((blocker) => isPartOf(told.get(blocker) ?? matter, matter))
    for (const blocker of repeated) left.delete(blocker)
    if (repeated.length > 0)
      return {
        ...error,
        evidence: repeated.reduce<typeof error.evidence>(
          (all, { evidence }) => uniteEvidence(all, evidence),
          error.evidence,
        ),
      }
    const isTold = blockers.some((blocker) => {
      const other = told.get(blocker)
      if (other === undefined) return false
      const cites = error.evidence.some((event) => blocker.evidence.includes(event))
      return isPartOf(matter, other) || (cites && shareMark(matter, other))
    })
    if (!isTold) return error
    const [first = ''] = error.message.split(' / ', 1)
    return { ...error, message: shortLine(first, shortMessage) || error.message }
  })
  return { errors: kept, blockers: blockers.filter((blocker) => left.has(blocker)) }
}

function shareMark(a: Matter, b: Matter): boolean {
  const files = a.files.map((file) => file.slice(file.lastIndexOf('/') + 1))
  return [...a.marks, ...files].some((name) => b.words.has(name))
}
