import { describe, expect, it } from 'vitest'
import { sessionToAtif } from '../../src/convert/session-to-atif.ts'
import { readSession } from '../../src/readers/read-session.ts'
import type { Session } from './events.ts'

describe('a trajectory that Tenfold wrote', () => {
  /** Events without what a trajectory cannot hold: order within a step, times of parts, the phase of an answer. */
  const held = (session: Session): string[] =>
    session.events
      .filter(({ type }) => !type.startsWith('subagent'))
      .map(({ id, source, time, ...event }) => ({ ...event, phase: undefined }))
      .map((event) => JSON.stringify(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))))
      .sort()

  it.each([
    'atif/embedded.json',
    'anthropic-messages/request.json',
    'openai-chat/messages.json',
    'aider/chat-history.md',
    'specstory/version-2.md',
  ])('comes back unchanged: %s', async (path) => {
    const session = await readSession(new URL(`../fixtures/${path}`, import.meta.url))
    const back = await readSession({ parsed: sessionToAtif(session) }, { format: 'atif' })
    expect(held(back)).toEqual(held(session))
    expect(back.usage).toEqual(session.usage)
    expect(back.agents.map(({ id, parent, callId }) => ({ id, parent, callId }))).toEqual(
      session.agents.map(({ id, parent, callId }) => ({ id, parent, callId })),
    )
    expect(back.notes.map(({ code, message }) => [code, message])).toEqual(
      session.notes.map(({ code, message }) => [code, message]),
    )
    expect(back).toMatchObject({ id: session.id })
    expect([back.title, back.cwd, back.branch]).toEqual([session.title, session.cwd, session.branch])
  })
})
