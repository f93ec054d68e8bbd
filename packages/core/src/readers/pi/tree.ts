import { asText, type JsonObject } from '../../session/json-values.ts'
import { type PiEntry, type PiState, write } from './state.ts'

/**
 * Follows the tree of entries (from version 2 on): an entry that does not follow the previous one begins a new branch,
 * and the events after its parent leave the conversation.
 */
export function enterEntry(state: PiState, record: JsonObject): void {
  const { entries, out } = state
  const id = asText(record.id)
  state.entry = undefined
  if (id === undefined || !('parentId' in record) || entries.has(id)) return
  const parent = asText(record.parentId) ?? null
  if (parent !== (state.path.at(-1)?.id ?? null)) moveTo(state, parent)
  // Looked up now: an entry whose parent comes later in the log must not form a circle.
  const before = parent === null ? undefined : entries.get(parent)
  const entry: PiEntry = { id, parent: before, turns: 0, spoke: false }
  entries.set(id, entry)
  state.path.push(entry)
  state.entry = entry
  if (parent !== null && before === undefined)
    out.note('parent-unknown', 'an entry follows one that is not in this log')
}

function moveTo(state: PiState, parent: string | null): void {
  const { entries, out } = state
  const entry = parent === null ? undefined : entries.get(parent)
  if (parent !== null && entry === undefined) return
  const wanted = ancestry(entry)
  let common = 0
  while (common < wanted.length && wanted[common] === state.path[common]) common++
  const left = state.path.slice(common)
  const resumed = wanted.slice(common).some(({ spoke }) => spoke)
  state.path = wanted
  if (resumed)
    out.note('branch-resumed', 'an earlier branch continues although its events are marked as taken out')
  leave(state, left)
}

/** From the root to an entry. */
function ancestry(last: PiEntry | undefined): PiEntry[] {
  const chain: PiEntry[] = []
  for (let entry = last; entry !== undefined; entry = entry.parent) chain.push(entry)
  return chain.reverse()
}

/** Takes back the turns of the abandoned branch; a part of a turn stays. */
function leave(state: PiState, left: readonly PiEntry[]): void {
  const { out } = state
  const spoken = left.filter(({ spoke }) => spoke)
  const turns = Math.min(
    left.reduce((sum, entry) => sum + entry.turns, 0),
    state.turns.length,
  )
  if (spoken.length === 0) return
  if (turns > 0) {
    out.rewind(turns)
    state.turns.splice(state.turns.length - turns)
    state.rewound = true
  }
  if (spoken[0]?.turns === 0)
    out.note('branch-in-turn', 'a branch begins within a turn: the rest of that turn stays in context')
  write(state, { type: 'rewind', turns })
}
