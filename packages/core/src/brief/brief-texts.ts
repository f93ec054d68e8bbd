import type { ContextBundle } from '../bundle/schema.ts'
import { belowCwd } from '../plan/below-cwd.ts'

/** Returns a bundle with its texts in the form of a brief: relative paths, and gaps without their lengths. */
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

/** Consecutive gap marks, each with the white space before it. */
const marks = /(?:\s*\[…\d{1,9}\])+/g
