import { describe, expect, it } from 'vitest'
import { replayLatestRun, replayRun, replaySession } from '../../src/entries/replay.ts'
import type { ConversationTurn } from '../../src/readers/cursor/turn-events.ts'
import type { Note } from '../../src/session/note.ts'
import { agentTurn, call, recordedTurns, say } from './turns.ts'

const lines = (turns: readonly ConversationTurn[]): string[] =>
  replaySession(turns).map((event) => {
    const name = 'name' in event ? ` ${event.name}` : ''
    const status = event.type === 'tool_summary' ? ` ${event.status}` : ''
    const agent = event.agent === 'main' ? '' : `${event.agent} `
    return `${agent}${event.type}${name}${status}: ${event.text}`
  })

describe('replay of the turns of a run', () => {
  it('rebuilds the timeline of all turn, step and tool types', () => {
    expect(lines(recordedTurns)).toEqual([
      'user: Make the rate limiter count per tenant.',
      'assistant: I will look at the limiter first.',
      'tool_progress glob: targetDirectory: /srv/shop\nglobPattern: **/limit*.ts',
      'tool_summary glob ok: src/limit.ts\ntest/limit.test.ts',
      'tool_progress grep: pattern: bucket\npath: src',
      'tool_summary grep ok: src/limit.ts',
      'tool_progress grep: pattern: limit\npath: src\noutputMode: content',
      'tool_summary grep ok: src/limit.ts:1:export const limit = 5\n… 2 more\nsrc/key.ts:2',
      'tool_progress read: path: src/limit.ts',
      'tool_summary read ok: export const limit = 5\n',
      'tool_progress ls: path: src',
      'tool_summary ls ok: /srv/shop/src/\n/srv/shop/src/limit.ts\n/srv/shop/src/routes/ (4 files, not listed)',
      'tool_progress readLints: paths: ["src"]',
      'tool_summary readLints ok: fileDiagnostics: []\ntotalFiles: 1\ntotalDiagnostics: 0',
      'tool_progress semSearch: query: where are tenants',
      'tool_summary semSearch ok: src/tenant.ts: tenantOf()',
      'tool_progress createPlan: plan: 1. key by tenant',
      'tool_summary createPlan ok: ',
      'tool_progress updateTodos: todos: [{"content":"key by tenant","status":"inProgress"}]',
      'tool_summary updateTodos ok: todos: [{"content":"key by tenant","status":"inProgress"}]\ntotalCount: 1',
      'user: Go on.',
      'tool_progress edit: path: src/limit.ts',
      'tool_summary edit ok: -a\n+b\n+c\n+d\n+e',
      'tool_progress write: path: src/key.ts\nfileText: export {}\n',
      'tool_summary write ok: path: src/key.ts\nlinesCreated: 1\nfileSize: 10',
      'tool_progress delete: path: src/old.ts',
      'tool_summary delete ok: fileSize: 12',
      'tool_progress shell: command: npm test',
      'tool_summary shell error: 1 failed\nError: no tenant',
      'tool_progress mcp__tracker__find: providerIdentifier: tracker\ntoolName: find\nargs: {"id":7}',
      'tool_summary mcp__tracker__find ok: Issue 7 is open',
      'tool_progress generateImage: description: a bucket',
      'tool_summary generateImage ok: filePath: /srv/shop/bucket.png',
      'tool_progress recordScreen: mode: START_RECORDING',
      'tool_summary recordScreen ok: path: /srv/shop/screen.webm',
      'tool_progress task: description: check the header\nprompt: Which header names the tenant?\nsubagentType: {"kind":"explore"}',
      'agent-7 assistant: I look at the gateway.',
      'agent-7 tool_progress read: path: gateway.ts',
      'agent-7 tool_summary read ok: x-tenant',
      'tool_summary task ok: agentId: agent-7\nisBackground: false\nbackgroundReason: unspecified\ndurationMs: 1200',
      'tool_progress read: path: gone.ts',
      'tool_summary read error: no such file',
      'tool_progress user_shell: command: git status --short\nworkingDirectory: /srv/shop',
      'tool_summary user_shell ok:  M src/limit.ts\n',
      'user: Run the tests again.',
      'assistant: Running them.',
      'tool_progress shell: command: npm test',
    ])
  })

  it('marks each event, names the session, and joins calls with their results', async () => {
    const events = await replayRun({ conversation: async () => recordedTurns }, { session: 'run-1' })
    for (const event of events) expect(event).toMatchObject({ replayed: true, session: 'run-1' })
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    const of = (callId: string) => events.filter((event) => 'callId' in event && event.callId === callId)
    expect(of('t2s4')).toMatchObject([
      { type: 'tool_progress', name: 'shell', kind: 'execute' },
      { type: 'tool_summary', name: 'shell', status: 'error', exitCode: 1 },
    ])
    expect(of('t2s8.2')).toMatchObject([{ agent: 'agent-7' }, { agent: 'agent-7' }])
    expect(of('t2s1')[1]).toMatchObject({
      changes: [{ path: 'src/limit.ts', action: 'modified', added: 4, removed: 1 }],
    })
    expect(of('t2s5')[1]).toMatchObject({ images: 1 })
    expect(of('t3')[1]).toMatchObject({ exitCode: 0 })
    expect(of('t4s2')).toHaveLength(1)
  })

  it('keeps the ids of earlier events as turns, steps and results arrive', () => {
    const all = replaySession(recordedTurns).map(({ id }) => id)
    for (const count of recordedTurns.keys()) {
      const some = replaySession(recordedTurns.slice(0, count)).map(({ id }) => id)
      expect(some).toEqual(all.slice(0, some.length))
    }
    const begun = agentTurn('Go.', call('read', { path: 'a' }), call('read', { path: 'b' }))
    const done = agentTurn(
      'Go.',
      call('read', { path: 'a' }, { content: 'A' }),
      call('read', { path: 'b' }),
      say('Done.'),
    )
    const before = replaySession([begun]).map(({ id }) => id)
    const after = replaySession([done])
    expect(after.filter(({ id }) => !before.includes(id)).map(({ type }) => type)).toEqual([
      'tool_summary',
      'assistant',
    ])
    expect(after).toHaveLength(before.length + 2)
  })

  it('gives different ids to equal events and equal runs', () => {
    const turns = [agentTurn('Go on.', say('Done.')), agentTurn('Go on.', say('Done.'))]
    const ids = replaySession(turns).map(({ id }) => id)
    expect(new Set(ids).size).toBe(4)
    const others = replaySession(turns, { session: 'run-2' }).map(({ id }) => id)
    expect(ids.filter((id) => others.includes(id))).toEqual([])
  })

  it('accepts values of any type, with a note for unknown ones, and changes nothing', () => {
    const circle: Record<string, unknown> = { name: 'circle' }
    circle.self = circle
    let deep: unknown = 'end'
    for (let depth = 0; depth < 5000; depth++) deep = [deep]
    const odd = [
      null,
      7,
      'turn',
      [],
      {},
      { type: 'futureConversationTurn', turn: { poem: 1 } },
      { type: 'futureConversationTurn', turn: { steps: [say('of a newer SDK')] } },
      { type: 'agentConversationTurn' },
      { type: 'agentConversationTurn', turn: { steps: 'none' } },
      { type: 'agentConversationTurn', turn: { userMessage: 'plain words', steps: null } },
      { type: 'shellConversationTurn', turn: { shellCommand: 'ls', shellOutput: 3 } },
      { type: 'shellConversationTurn', turn: { shellOutput: { stdout: ['a'], exitCode: 'one' } } },
      agentTurn(
        undefined,
        null,
        { type: 'dream', message: {} },
        { type: 'assistantMessage', message: null },
        { type: 'assistantMessage', message: { text: { rich: 'text' } } },
        { type: 'toolCall', message: null },
        { type: 'toolCall', message: { type: 9n, args: 12n, result: 'plain' } },
        {
          type: 'toolCall',
          message: { type: 'teleport', args: circle, result: { status: 'maybe', value: 1 } },
        },
        call('shell', deep, { stdout: Symbol('s'), stderr: () => 1, exitCode: 1.5 }),
        call('read', { path: new Date(0) }, new Uint8Array(9)),
        call('__proto__', JSON.parse('{"__proto__":{"polluted":1}}'), ['x']),
        { type: 'toolCall', message: { type: 'mcp', args: 0, result: { status: 'error' } } },
      ),
    ] as unknown as ConversationTurn[]
    freeze(odd)
    const notes: Note[] = []
    const events = replaySession(odd, { onNote: (note) => notes.push(note) })
    expect(notes.map(({ code }) => code)).toEqual([
      ...Array(8).fill('unknown-turn'),
      'unknown-step',
      'unknown-step',
      'unknown-step',
    ])
    for (const event of events) {
      expect(typeof event.text).toBe('string')
      expect(JSON.parse(JSON.stringify(event))).toEqual(event)
    }
    const texts = events.map(({ text }) => text)
    expect(texts).toContain('of a newer SDK')
    expect(texts).toContain('plain words')
    expect(texts).toContain('name: circle\nself: "[circular]"'.replaceAll('"', ''))
    expect(texts).toContain('[9 bytes]')
    expect(texts).toContain('__proto__: {"polluted":1}')
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('reads subagents of subagents, up to a limited depth', () => {
    let steps: unknown[] = [say('at the bottom')]
    for (let depth = 0; depth < 40; depth++)
      steps = [call('task', { prompt: 'deeper' }, { conversationSteps: steps })]
    const notes: Note[] = []
    const events = replaySession([agentTurn('Go.', ...steps)], { onNote: (note) => notes.push(note) })
    expect(notes.map(({ code }) => code)).toEqual(['deep-steps'])
    expect(new Set(events.map(({ agent }) => agent)).size).toBe(17)
  })

  it('takes the most recent run of an agent', async () => {
    const run = (text: string, createdAt?: number) => ({
      ...(createdAt !== undefined && { createdAt }),
      conversation: async () => [agentTurn(text)],
    })
    const of = async (...items: ReturnType<typeof run>[]) => {
      const asked: string[] = []
      const lister = { listRuns: async (id: string) => ({ items: asked.push(id) > 0 ? items : [] }) }
      const events = await replayLatestRun(lister, 'agent-1', { session: 's' })
      expect(asked).toEqual(['agent-1'])
      return events.map(({ text }) => text)
    }
    expect(await of(run('old', 1), run('new', 3), run('middle', 2))).toEqual(['new'])
    expect(await of(run('newest'), run('older'))).toEqual(['newest'])
    expect(await of()).toEqual([])
  })

  it('passes on the failure of a run, and reports an input without turns', async () => {
    await expect(replayRun({ conversation: () => Promise.reject(new Error('gone')) })).rejects.toThrow('gone')
    const none = { conversation: async () => null as unknown as ConversationTurn[] }
    await expect(replayRun(none)).rejects.toThrow(/list of turns .*null/)
    expect(await replayRun({ conversation: async () => [] })).toEqual([])
  })
})

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  if (ArrayBuffer.isView(value)) return
  Object.freeze(value)
  for (const item of Object.values(value)) freeze(item)
}
