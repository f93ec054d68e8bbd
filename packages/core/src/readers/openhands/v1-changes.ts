import type { FileChange } from '../../session/event.ts'
import { asText, type JsonObject } from '../../session/json-values.ts'
import { changedLines, type DiffCounts } from '../shared/diff-counts.ts'

/** What the file editor changed, by the contents before and after that it reports. */
export function editorChanges(observation: JsonObject): FileChange[] {
  const path = asText(observation.path)
  const after = asText(observation.new_content)
  if (observation.is_error === true || observation.command === 'view') return []
  if (path === undefined || after === undefined) return []
  const before = asText(observation.old_content)
  const isNew = observation.prev_exist === false
  if (!isNew && before === undefined) return []
  return [{ path, action: isNew ? 'created' : 'modified', ...lineCounts(before, after) }]
}

/** Lines added and removed; the end of the last line begins no further one. */
export function lineCounts(before: string | undefined, after: string): DiffCounts {
  return changedLines((before ?? '').replace(/\n$/, ''), after.replace(/\n$/, ''))
}
