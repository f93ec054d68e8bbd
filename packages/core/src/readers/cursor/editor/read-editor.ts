import type { SourcePosition } from '../../../session/event.ts'
import { asText } from '../../../session/json-values.ts'
import { chooseSession } from '../../reader/choose-session.ts'
import type { LogRow, SessionWriter } from '../../reader/reader.ts'
import type { DatabaseReading } from '../database-reading.ts'
import type { CursorState } from '../state.ts'
import { key, keysFrom, messagesOf } from '../tables.ts'
import { type Composer, collectComposers, rootsOf } from './composers.ts'
import { rowText } from './rows.ts'
import { type StoredBubble, writeConversation } from './write-conversation.ts'

/** Begins to read the conversation asked for, or else the one changed last. */
export function readEditor(state: CursorState): DatabaseReading {
  const { out } = state
  const store = collectComposers()
  const bubbles = new Map<string, StoredBubble>()
  const contents = new Map<string, string>()
  const asked = new Set<string>()
  let composers: ReadonlyMap<string, Composer> | undefined
  let chosen: Composer | undefined
  let wanted: ReadonlySet<string> = new Set()

  /** Chooses the session once the metadata of all are known, and asks for the messages of its subagents. */
  function choose(): void {
    composers = store.composers()
    const roots = rootsOf([...composers.values()])
    const subagent = roots.some(({ id }) => id === out.sessionId)
      ? undefined
      : composers.get(out.sessionId ?? '')
    chosen = subagent ?? chooseSession(roots, out)
    if (chosen === undefined) return
    wanted = withSubagents(chosen, composers)
    if (out.sessionId === undefined) return
    for (const id of wanted) if (id !== chosen.id) out.alsoRead(keysFrom(messagesOf(id)))
  }

  function message(name: string, row: LogRow, at: SourcePosition): void {
    const [, composer = '', bubble = ''] = name.split(':')
    if (!wanted.has(composer)) {
      out.absorb('message of another session')
      return
    }
    const text = rowText(row)
    bubbles.set(`${composer}:${bubble}`, { text, at })
    out.absorb('message, read with its session')
    for (const [content] of text.matchAll(/composer\.content\.[\da-f]{64}/g)) {
      if (asked.has(content)) continue
      asked.add(content)
      out.alsoRead(key(content))
    }
  }

  return {
    row(row, at) {
      const name = asText(row.row.key) ?? ''
      if (row.table === 'composerHeaders' || name.startsWith('composerData:')) {
        store.add(row, at)
        out.absorb('session metadata')
      } else if (name.startsWith('bubbleId:')) {
        if (composers === undefined) choose()
        message(name, row, at)
      } else {
        contents.set(name, rowText(row))
        out.absorb('contents of an edited file')
      }
    },
    finish() {
      if (composers === undefined) choose()
      if (composers === undefined || chosen === undefined) return
      describe(chosen, out)
      writeConversation(chosen, { state, composers, bubbles, contents, written: new Set([chosen.id]) })
    },
  }
}

/** The ids of a conversation and of the subagents below it. */
function withSubagents(root: Composer, composers: ReadonlyMap<string, Composer>): Set<string> {
  const ids = new Set([root.id])
  for (const id of ids) {
    for (const child of composers.get(id)?.children ?? []) if (composers.has(child)) ids.add(child)
    for (const { id: child, parent } of composers.values()) if (parent === id) ids.add(child)
  }
  return ids
}

function describe({ id, title, cwd, branch, model }: Composer, out: SessionWriter): void {
  out.meta({ id, title, cwd, branch, ...(model !== undefined && { models: [model] }) })
}
