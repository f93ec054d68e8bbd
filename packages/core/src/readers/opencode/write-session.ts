import { appendTo } from '../../session/append-to.ts'
import { asObject, asText } from '../../session/json-values.ts'
import type { OpenCodeSession } from './collection.ts'
import { writeMessage } from './messages.ts'
import { type Reading, write } from './reading.ts'

/** Maximum levels of nested subagents to read; deeper ones become a note. */
const deepest = 50

/** Writes the chosen session, with those child sessions among `sessions` at their calls. */
export function writeMain(
  reading: Reading,
  main: OpenCodeSession,
  sessions: readonly OpenCodeSession[],
): void {
  const { out, written } = reading
  written.add(main.id)
  const byId = new Map(sessions.map((session) => [session.id, session]))
  reading.writeChild = (id) => {
    const child = byId.get(id)
    if (child !== undefined && !written.has(id)) writeChild(reading, child)
  }
  for (const session of sessions) {
    if (session.parent === undefined || session.id === '') continue
    appendTo(reading.children, session.parent, session)
  }
  const { info } = main
  out.meta({
    ...(main.id !== '' && { id: main.id }),
    agentVersion: asText(info.version),
    title: main.title,
    cwd: asText(info.directory),
  })
  writeMessages(reading, main, main.parent !== undefined)
  writeUnlinked(reading, main.id)
}

/** Writes child sessions that no call reported. */
function writeUnlinked(reading: Reading, parent: string): void {
  for (const child of reading.children.get(parent) ?? []) {
    if (reading.written.has(child.id)) continue
    reading.at = child.at
    write(reading, { type: 'subagent_start', child: child.id }, child.startedAt)
    writeChild(reading, child)
    write(reading, { type: 'subagent_end', child: child.id }, child.endedAt)
  }
}

/** Writes a session as the subagent of another one. */
export function writeChild(reading: Reading, child: OpenCodeSession): void {
  const { out, written } = reading
  const { agent, at, undone } = reading
  written.add(child.id)
  if (reading.depth >= deepest) {
    out.note('deep-subagents', 'a subagent is nested too deep; read its session alone')
    return
  }
  const task = reading.tasks.get(child.id)
  out.agent({
    id: child.id,
    parent: task?.agent ?? agent,
    callId: task?.callId,
    type: asText(child.info.agent),
    title: child.title,
  })
  reading.agent = child.id
  reading.depth++
  writeMessages(reading, child, true)
  writeUnlinked(reading, child.id)
  reading.depth--
  Object.assign(reading, { agent, at, undone })
}

function writeMessages(reading: Reading, session: OpenCodeSession, byAgent: boolean): void {
  const revert = asObject(session.info.revert)
  const from = asText(revert?.messageID)
  for (const message of session.messages) {
    if (from !== undefined && message.id === from) reading.undone = true
    writeMessage(reading, message, byAgent)
  }
  if (from === undefined) return
  if (!session.messages.some(({ id }) => id === from)) {
    reading.out.note('revert-unknown', 'the log has a revert to a message that it does not hold')
    return
  }
  if (reading.agent !== 'main') return
  reading.undone = false
  write(reading, { type: 'rewind', turns: reading.undoneTurns })
}
