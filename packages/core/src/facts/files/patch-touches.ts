import type { Touch } from './touch.ts'

type Draft = { -readonly [K in keyof Touch]: Touch[K] } & { diff?: { added: string[]; removed: string[] } }

/**
 * Parses the touches of a patch in Codex's `apply_patch` form: `*** Add File: path`, `*** Update File:`, `*** Move
 * to:`, `*** Delete File:`.
 */
export function patchTouches(patch: string): Touch[] {
  const touches: Draft[] = []
  let current: Draft | undefined
  for (const line of patch.split('\n')) {
    if (line.startsWith('*** ')) {
      const header = /^\*\*\* (Add File|Update File|Delete File|Move to): (\S[^\r\n]*)/.exec(line)
      const path = header?.[2]?.trim()
      if (header === null || path === undefined) continue
      if (header[1] === 'Move to') {
        if (current !== undefined) Object.assign(current, { action: 'move', to: path })
        continue
      }
      const action = header[1] === 'Add File' ? 'create' : header[1] === 'Delete File' ? 'delete' : 'modify'
      current = action === 'delete' ? { action, path } : { action, path, diff: { added: [], removed: [] } }
      touches.push(current)
    } else if (line.startsWith('+')) current?.diff?.added.push(line.slice(1))
    else if (line.startsWith('-')) current?.diff?.removed.push(line.slice(1))
  }
  return touches.map((touch) =>
    touch.diff === undefined
      ? touch
      : { ...touch, added: touch.diff.added.length, removed: touch.diff.removed.length },
  )
}

/** Whether a text holds such a patch. */
export function isPatch(text: string): boolean {
  return text.includes('*** Begin Patch')
}
