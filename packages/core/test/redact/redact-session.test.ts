import {
  createRedaction,
  type Redaction,
  type Redactor,
  secretRedactor,
  valueRedactor,
} from '@tenfold/redact'
import { describe, expect, it } from 'vitest'
import { everyForm, formsLeft, passwords, planted, tokens } from '../../../redact/test/planted.ts'
import { leakSteps } from '../../src/redact/find-leaks.ts'
import { redactSession } from '../../src/redact/redact-session.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { atOnce } from '../../src/session/pauses.ts'
import type { Session } from '../../src/session/session.ts'
import { assistant, makeSession, toolCall, user } from '../support/session.ts'

const value = planted('session')

/** A session that holds a value in each field that may hold one. */
function sessionWith(text: string): Session {
  const drafts: EventDraft[] = [
    user(`use ${text}`),
    { type: 'context', origin: 'hook', name: `hook ${text}`, text },
    { type: 'assistant', text, model: `model ${text}` },
    { type: 'reasoning', text },
    ...toolCall('call_1', `tool ${text}`, { command: `curl ${text}`, list: [{ [text]: text }] }),
    { type: 'tool_call', callId: 'call_2', name: 'apply_patch', kind: 'edit', input: text },
    {
      type: 'tool_result',
      callId: 'call_2',
      status: 'ok',
      text: JSON.stringify({ stdout: JSON.stringify({ token: text }) }),
      changes: [{ path: `/tmp/${text}`, action: 'renamed', from: text, added: 3 }],
    },
    { type: 'subagent_start', child: `sub-${text}`, callId: 'call_1' },
    { type: 'assistant', text: 'from below', agent: `sub-${text}` },
    { type: 'compaction', text, trigger: text },
    { type: 'other', name: text, raw: { deep: [{ a: text, n: 7 }] } },
  ]
  const session = makeSession(drafts)
  return {
    ...session,
    title: text,
    cwd: `/home/${text}`,
    branch: text,
    commit: text,
    agentVersion: text,
    models: [text],
    agents: [...session.agents, { id: 'x', parent: `sub-${text}`, title: text, type: text }],
    usage: [{ agent: `sub-${text}`, model: text, usage: { inputTokens: 9 } }],
    notes: [{ code: 'bad-line', message: text, file: text, line: 3 }],
    source: {
      ...session.source,
      sha256: 'f'.repeat(64),
      files: [{ name: `${text}.jsonl`, bytes: 1, sha256: 'f'.repeat(64), lines: 11 }],
    },
  }
}

describe('what a tool prints', () => {
  const printed = 'rZ7kQ2mV9xT4bN8s'
  it.each([
    ['a file with a secret name', 'Bash', 'execute', { command: 'cd /srv && cat secrets/db_password' }],
    [
      'a secret of a cluster',
      'Bash',
      'execute',
      { command: "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d" },
    ],
    ['a file that a reader numbered', 'Read', 'read', { file_path: '/root/.config/acme/token' }],
  ] as const)('is a secret if the call shows it: %s', (_, name, kind, input) => {
    const text = kind === 'read' ? `     1→${printed}` : printed
    const session = makeSession([
      user('go on'),
      { type: 'tool_call', callId: 'c', name, kind, input },
      { type: 'tool_result', callId: 'c', status: 'ok', text },
      assistant(`it is ${printed}`),
    ])
    expect(JSON.stringify(redactSession(session, [secretRedactor()]))).not.toContain(printed)
  })

  it('is a secret if it is written to a file with a secret name', () => {
    const session = makeSession([
      {
        type: 'tool_call',
        callId: 'c',
        name: 'Write',
        kind: 'edit',
        input: { file_path: '/run/secrets/smtp_password', content: `${printed}\n` },
      },
      assistant(`it is ${printed}`),
    ])
    expect(JSON.stringify(redactSession(session, [secretRedactor()]))).not.toContain(printed)
  })

  it('stays if the call names no secret, or the result is more than a value', () => {
    const session = makeSession([
      {
        type: 'tool_call',
        callId: 'c',
        name: 'Bash',
        kind: 'execute',
        input: { command: 'cat VERSION', max_output_tokens: 200 },
      },
      { type: 'tool_result', callId: 'c', status: 'ok', text: printed },
      { type: 'tool_call', callId: 'd', name: 'Bash', kind: 'execute', input: { command: 'wc -c token' } },
      { type: 'tool_result', callId: 'd', status: 'ok', text: '41 token' },
    ])
    expect(redactSession(session, [secretRedactor()])).toBe(session)
  })
})

describe('redactSession', () => {
  it('removes a value from every field', () => {
    const clean = redactSession(sessionWith(value), [tokens])
    expect(formsLeft(JSON.stringify(clean), value)).toEqual([])
    expect(clean.notes.at(-1)).toEqual({
      code: 'redacted',
      message: '1 secret was replaced by a mark: 1 test-token',
      count: 1,
    })
    const [, , , , call] = clean.events
    expect(call).toMatchObject({
      callId: 'call_1',
      input: {
        command: 'curl [redacted:test-token]',
        list: [{ '[redacted:test-token]': '[redacted:test-token]' }],
      },
    })
    expect(clean.source.files[0]).toEqual({
      name: '[redacted:test-token].jsonl',
      bytes: 1,
      sha256: 'f'.repeat(64),
      lines: 11,
    })
  })

  it('keeps agents joined to their events', () => {
    const { agents, events, usage } = redactSession(sessionWith(value), [tokens])
    const ids = new Set(agents.map((agent) => agent.id))
    expect(ids).toEqual(new Set(['main', 'sub-[redacted:test-token]', 'x']))
    for (const event of events) expect(ids).toContain(event.agent)
    for (const entry of usage) expect(ids).toContain(entry.agent)
    for (const agent of agents) expect(ids).toContain(agent.parent ?? 'main')
    const main = redactSession(makeSession([user('the main thing')]), [valueRedactor(['main'])])
    expect(main.agents).toEqual([{ id: 'main' }])
    expect(main.events[0]).toMatchObject({ agent: 'main', text: 'the [redacted:known-value] thing' })
  })

  it('replaces values that are found late, or in one place only, from the start and in all forms', () => {
    const session = makeSession([
      user(everyForm(value)),
      assistant(`half way ${value.slice(0, 15)}\n  ${value.slice(15)}`),
      ...toolCall('c', 'Bash', { env: { password: value.replace('tok_', 'pw-') } }),
      assistant(`so ${value.replace('tok_', 'pw-')} is it, and ${value}`),
    ])
    const clean = redactSession(session, [tokens, passwords])
    expect(formsLeft(JSON.stringify(clean), value)).toEqual([])
    expect(formsLeft(JSON.stringify(clean), value.replace('tok_', 'pw-'))).toEqual([])
    expect(clean.notes.at(-1)).toMatchObject({ count: 2 })
    expect(clean.notes.at(-1)?.message).toMatch(/^2 secrets were replaced by marks: 1 \S+, 1 \S+$/)
  })

  it('returns the same session if nothing is found, and the same events if nothing changed', () => {
    const session = makeSession([user('hello'), assistant(value)])
    expect(redactSession(session, [])).toBe(session)
    expect(redactSession(session, [passwords])).toBe(session)
    const clean = redactSession(session, [tokens])
    expect(clean.events[0]).toBe(session.events[0])
    expect(clean.source).toBe(session.source)
    expect(redactSession(clean, [tokens])).toBe(clean)
  })

  it('accepts a redaction, which then has learned the values', () => {
    const redaction = createRedaction([tokens])
    const session = makeSession([user(value)])
    const clean = redactSession(session, redaction)
    expect(redaction.redact(Buffer.from(`x${value}`).toString('base64'))).toContain('[redacted:test-token]')
    redaction.learn(planted('later'))
    const again = redactSession(makeSession([user(value), user(planted('later'))]), redaction)
    expect(again.events[0]).toMatchObject({ text: '[redacted:test-token]' })
    expect(again.notes).toEqual([
      { code: 'redacted', message: '2 secrets were replaced by marks: 2 test-token', count: 2 },
    ])
    expect(clean.notes).toHaveLength(1)
  })
})

describe('leakSteps', () => {
  const leaksIn = (value: unknown, redaction: Redaction) => atOnce(leakSteps(value, redaction))

  it('finds known values in any form, and first findings of redactors', () => {
    const redaction = createRedaction([tokens])
    const clean = redactSession(makeSession([user(value)]), redaction)
    expect(leaksIn(clean, redaction)).toEqual({ leaks: 0, learned: 0 })
    const hidden = { trail: [{ text: `see ${Buffer.from(`ab${value}`).toString('base64')}` }] }
    expect(leaksIn(hidden, redaction)).toEqual({ leaks: 1, learned: 0 })
    const { hits } = redaction
    const fresh = leaksIn({ summary: planted('fresh'), n: 1 }, redaction)
    expect(fresh.leaks).toBe(1)
    expect(fresh.learned).toBeGreaterThan(0)
    expect(redaction.hits).toBe(hits)
    expect(leaksIn({ summary: planted('fresh') }, redaction)).toEqual({ leaks: 1, learned: 0 })
    expect(leaksIn(planted('fresh'), redaction).leaks).toBe(1)
  })

  it('finds values in the last items of long lists, once each', () => {
    const redaction = createRedaction([tokens])
    const trail = Array.from({ length: 25_000 }, (_, index) => ({
      event: `e${index + 1}`,
      text: `step ${index}`,
    }))
    expect(leaksIn({ trail }, redaction)).toEqual({ leaks: 0, learned: 0 })
    trail[24_999] = { event: 'e25000', text: `token ${planted('last')}` }
    trail[12_345] = { event: 'e12346', text: `again ${planted('last')}` }
    const found = leaksIn({ summary: `see ${planted('last')}`, trail }, redaction)
    expect(found.leaks).toBe(3)
    expect(found.learned).toBeGreaterThan(0)
  })

  it('looks at the items of a long list bit by bit', () => {
    let longest = 0
    const measuring: Redactor = {
      name: 'measuring',
      find(text) {
        longest = Math.max(longest, text.length)
        return []
      },
    }
    const trail = Array.from({ length: 20_000 }, (_, index) => ({ event: `e${index + 1}`, text: 'a step' }))
    leaksIn({ trail }, createRedaction([measuring]))
    expect(longest).toBeGreaterThan(10_000)
    expect(longest).toBeLessThan(100_000)
  })
})
