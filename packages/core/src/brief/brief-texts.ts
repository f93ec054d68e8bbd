import type { ContextBundle } from '../bundle/schema.ts'
import { belowCwd } from '../plan/below-cwd.ts'

/** A bundle with its texts as a brief has them: paths below the folder of the session, and the length of no gap. */
export function briefTexts(bundle: ContextBundle): ContextBundle {
  const { cwd } = bundle.source
  const shown = (value: unknown): unknown => {
    if (typeof value === 'string') return belowCwd(value, cwd).replace(marks, ' …').trim()
    if (Array.isArray(value)) return value.map(shown)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shown(each)]))
  }
  const { source, id, git } = bundle
  return { ...(shown(bundle) as ContextBundle), source, id, git }
}

/** Marks of gaps that follow each other, each with the white space before it. */
const marks = /(?:\s*\[…\d{1,9}\])+/g
