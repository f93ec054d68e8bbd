import type { ContextBundle } from '../bundle/schema.ts'

/**
 * Keys of the front matter that the Markdown of a small bundle leaves out, the least useful first, each with the share of
 * the budget that the front matter may take before it goes. The JSON has them all.
 */
const drops: readonly (readonly [share: number, ...keys: string[]])[] = [
  [0.12, 'prompt'],
  [0.12, 'agent-version'],
  [0.16, 'current'],
  [0.2, 'usage'],
  [0.2, 'started'],
  [0.2, 'model'],
  [0.3, 'summarizer', 'band', 'read'],
  [1 / 3, 'phase'],
  [0.4, 'events'],
  [0.4, 'sha256'],
  [0.45, 'session'],
  [0.45, 'log', 'format'],
  [0.5, 'tokens'],
  [0.5, 'branch', 'head', 'dirty'],
  [0.5, 'spent', 'cost', 'summarizer-model', 'unverified', 'fallback'],
  [0.5, 'ended'],
  [0.5, 'cwd'],
  [0.5, 'task', 'previous', 'track'],
  [0.5, 'title'],
]

/** The list of calls is no front matter, but cannot be trimmed either. */
const callsShare = 0.8

/**
 * Leaves out front matter of a bundle with little room: while `frontShare`, the share of the budget that the front matter
 * takes, exceeds what a key allows.
 */
export function trimFrontMatter(
  bundle: ContextBundle,
  frontShare: (bundle: ContextBundle) => number,
): ContextBundle {
  let lean = bundle
  for (const [most, ...keys] of drops) {
    if (frontShare(lean) <= most) continue
    lean = { ...lean, shown: { without: [...(lean.shown?.without ?? []), ...keys] } }
  }
  if (frontShare(lean) <= callsShare) return lean
  return { ...lean, compression: { ...lean.compression, calls: [] } }
}
