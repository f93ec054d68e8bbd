import type { FileChange } from '../../session/event.ts'
import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { countLines, diffCounts } from '../shared/diff-counts.ts'

const begin = '*** Begin Patch'

/**
 * Finds the patch in an apply_patch call: its raw input, or a string of its arguments (a heredoc of a shell command).
 */
export function findPatch(input: unknown): string | undefined {
  if (typeof input === 'string') {
    const start = input.indexOf(begin)
    return start === -1 ? undefined : input.slice(start)
  }
  const values = Array.isArray(input) ? input : Object.values(asObject(input) ?? {})
  for (const value of values) {
    const patch = typeof value === 'string' || Array.isArray(value) ? findPatch(value) : undefined
    if (patch !== undefined) return patch
  }
  return undefined
}

/**
 * The files of a patch in Codex's own form, with their line counts.
 * https://github.com/openai/codex/blob/main/codex-rs/apply-patch/apply_patch_tool_instructions.md
 */
export function patchChanges(patch: string): FileChange[] {
  const changes: {
    path: string
    action: FileChange['action']
    from?: string
    added: number
    removed: number
  }[] = []
  for (const line of patch.split('\n')) {
    const heading = /^\*\*\* (Add File|Update File|Delete File|Move to|End Patch)(?:: (.*))?$/.exec(
      line.trimEnd(),
    )
    const current = changes.at(-1)
    if (heading === null) {
      if (current === undefined) continue
      if (line.startsWith('+')) current.added++
      else if (line.startsWith('-')) current.removed++
      continue
    }
    const [, kind, name = ''] = heading
    const path = name.trim()
    if (kind === 'End Patch') break
    if (path === '') continue
    if (kind !== 'Move to') {
      const action = kind === 'Add File' ? 'created' : kind === 'Delete File' ? 'deleted' : 'modified'
      changes.push({ path, action, added: 0, removed: 0 })
    } else if (current !== undefined) {
      current.from = current.path
      current.path = path
      current.action = 'renamed'
    }
  }
  // A patch that deletes a file does not contain its length.
  return changes.map(({ added, removed, ...change }) =>
    change.action === 'deleted' ? change : { ...change, added, removed },
  )
}

/**
 * `changes` of a patch_apply_end: paths with `{ type: add | update | delete, content?, unified_diff?, move_path? }`.
 */
export function endChanges(value: unknown): FileChange[] {
  return Object.entries(asObject(value) ?? {}).flatMap(([path, raw]) => {
    const change = asObject(raw)
    return change === undefined ? [] : [endChange(path, change)]
  })
}

function endChange(path: string, { content, move_path, type, unified_diff }: JsonObject): FileChange {
  const diff = asText(unified_diff)
  const written = asText(content)
  const counts = diff === undefined ? undefined : diffCounts(diff.includes('@@') ? diff : `@@\n${diff}`)
  const lines = counts === undefined && written !== undefined ? countLines(written) : undefined
  if (type === 'add')
    return { path, action: 'created', ...(counts ?? (lines !== undefined && { added: lines })) }
  if (type === 'delete')
    return { path, action: 'deleted', ...(counts ?? (lines !== undefined && { removed: lines })) }
  const moved = asText(move_path)
  return moved === undefined
    ? { path, action: 'modified', ...counts }
    : { path: moved, action: 'renamed', from: path, ...counts }
}
