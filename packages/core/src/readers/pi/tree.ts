import * as json from '../../session/json.ts'
import type { Writer } from '../shared/writer.ts'

interface Entry {
  readonly id: string
  /** Absent at the root, and if the parent was not read before. */
  readonly parent: Entry | undefined
  /** Number of turns and of events that the entry added; set once it was read. */
  turns: number
  events: number
}

/**
 * Follows the tree of entries (since version 2): an entry that does not follow the previous one begins a new branch,
 * and the events after its parent leave the conversation.
 */
export function createTree(writer: Writer) {
  const entries = new Map<string, Entry>()
  let path: Entry[] = []
  let current: Entry | undefined
  let before = { events: 0, turns: 0 }

  function enter(record: json.Fields): void {
    if (current !== undefined) {
      current.events = writer.events - before.events
      current.turns = writer.turns - before.turns
    }
    current = undefined
    const id = json.text(record.id)
    if (id === undefined || !('parentId' in record) || entries.has(id)) return
    const follows = json.text(record.parentId)
    if (follows !== path.at(-1)?.id) moveTo(follows)
    // Looked up now, so that an entry whose parent comes later in the log cannot form a circle.
    const parent = follows === undefined ? undefined : entries.get(follows)
    current = { id, parent, turns: 0, events: 0 }
    entries.set(id, current)
    path.push(current)
    before = { events: writer.events, turns: writer.turns }
    if (follows !== undefined && parent === undefined)
      writer.out.note('parent-unknown', 'an entry follows one that is not in this log')
  }

  function moveTo(id: string | undefined): void {
    const entry = id === undefined ? undefined : entries.get(id)
    if (id !== undefined && entry === undefined) return
    const wanted: Entry[] = []
    for (let above = entry; above !== undefined; above = above.parent) wanted.push(above)
    wanted.reverse()
    let common = 0
    while (common < wanted.length && wanted[common] === path[common]) common++
    const left = path.slice(common)
    path = wanted
    const isResumed = wanted.slice(common).some(({ events }) => events > 0)
    const resumed = 'an earlier branch continues although its events are marked as taken out'
    if (isResumed) writer.out.note('branch-resumed', resumed)
    const [first, ...others] = left.filter(({ events }) => events > 0)
    if (first === undefined) return
    // Takes back the turns of the abandoned branch; a part of a turn stays.
    const stays = 'a branch begins within a turn: the rest of that turn stays in context'
    if (first.turns === 0) writer.out.note('branch-in-turn', stays)
    writer.rewind(others.reduce((sum, entry) => sum + entry.turns, first.turns))
  }

  return { enter }
}
