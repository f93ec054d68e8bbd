import type { ContextBundle } from '../bundle/schema.ts'

type Drop = (bundle: ContextBundle) => ContextBundle

/**
 * Optional fields of the front matter, the least useful first, each with the share of the budget that the front matter
 * may take before the field is dropped.
 */
const drops: readonly (readonly [share: number, drop: Drop])[] = [
  [0.14, ({ compression: { promptVersion, ...compression }, ...rest }) => ({ ...rest, compression })],
  [0.12, ({ source: { agentVersion, ...source }, ...rest }) => ({ ...rest, source })],
  [0.16, ({ workflow: { currentTask, ...workflow }, ...rest }) => ({ ...rest, workflow })],
  [0.2, ({ usage, ...rest }) => ({ ...rest, usage: { ...usage, total: {} } })],
  [0.2, ({ source: { startedAt, ...source }, ...rest }) => ({ ...rest, source })],
  [0.2, ({ source, ...rest }) => ({ ...rest, source: { ...source, models: [] } })],
  [1 / 3, ({ workflow: { phase, ...workflow }, ...rest }) => ({ ...rest, workflow })],
  [0.45, ({ source: { eventsDigest, ...source }, ...rest }) => ({ ...rest, source })],
  [0.6, ({ git: { branch, head, dirty, ...git }, ...rest }) => ({ ...rest, git })],
  [0.7, ({ source: { cwd, ...source }, ...rest }) => ({ ...rest, source })],
  [0.8, ({ compression, ...rest }) => ({ ...rest, compression: { ...compression, calls: [] } })],
  [0.8, ({ source: { endedAt, ...source }, ...rest }) => ({ ...rest, source })],
  [0.9, ({ source: { title, ...source }, ...rest }) => ({ ...rest, source })],
]

/**
 * Drops optional front matter of a bundle with little room: while `frontShare`, the share of the budget that the front
 * matter takes, exceeds what a field allows. `dropped` counts the dropped fields.
 */
export function trimFrontMatter(
  bundle: ContextBundle,
  frontShare: (bundle: ContextBundle) => number,
): { bundle: ContextBundle; dropped: number } {
  let lean = bundle
  let dropped = 0
  let share = frontShare(lean)
  for (const [most, drop] of drops) {
    if (share <= most) continue
    lean = drop(lean)
    const left = frontShare(lean)
    if (left < share) dropped++
    share = left
  }
  return { bundle: lean, dropped }
}
