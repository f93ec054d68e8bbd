import { describe, expect, it } from 'vitest'
import type { AtifTrajectory } from '../../src/convert/atif-trajectory.ts'
import { sessionToAtif } from '../../src/convert/session-to-atif.ts'
import { sessionToMarkdown } from '../../src/convert/session-to-markdown.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { createSessionWriter } from '../../src/readers/reader/session-builder.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { atOnce } from '../../src/session/pauses.ts'
import type { AgentNode, Session } from '../../src/session/session.ts'
import { fixtureFolders, samplesOf } from '../readers/samples.ts'

function sessionOf(drafts: readonly EventDraft[], agents: readonly AgentNode[] = []): Session {
  const writer = createSessionWriter({ format: 'test', files: ['log'] })
  for (const agent of agents) writer.agent(agent)
  for (const [index, draft] of drafts.entries()) {
    writer.begin({ file: 0, line: index + 1 })
    writer.event(draft)
  }
  return atOnce(writer.finish([{ name: 'log', bytes: 1, sha256: '0'.repeat(64), lines: drafts.length }]))
}

const markdownOf = (session: Session): string => [...sessionToMarkdown(session)].join('')
const call = (callId: string, input: unknown = {}): EventDraft => ({
  type: 'tool_call',
  callId,
  name: 'Bash',
  kind: 'execute',
  input,
})
const result = (callId: string, text: string): EventDraft => ({
  type: 'tool_result',
  callId,
  status: 'ok',
  text,
})

/** Rules of the specification for every trajectory. */
function checkTrajectory(trajectory: AtifTrajectory, events: string[] = []): string[] {
  for (const [index, step] of trajectory.steps.entries()) {
    expect(step.step_id).toBe(index + 1)
    if (step.source !== 'agent') {
      expect(step).not.toHaveProperty('tool_calls')
      expect(step).not.toHaveProperty('reasoning_content')
      expect(step).not.toHaveProperty('model_name')
    }
    const calls = (step.tool_calls ?? []).map((each) => each.tool_call_id)
    expect(new Set(calls).size).toBe(calls.length)
    for (const each of step.observation?.results ?? [])
      if (each.source_call_id !== undefined) expect(calls).toContain(each.source_call_id)
    events.push(...((step.extra?.events ?? []) as string[]))
  }
  for (const child of trajectory.subagent_trajectories ?? []) checkTrajectory(child, events)
  return events
}

describe('sessionToAtif', () => {
  it.each(fixtureFolders())(
    'keeps every event of the %s samples once, by the rules of the format',
    async (folder) => {
      for (const { bytes } of samplesOf(folder)) {
        const session = await readSession(bytes)
        const told = checkTrajectory(sessionToAtif(session))
        const all = session.events.map(({ id }) => id)
        // A second mark of the same subagent adds nothing.
        expect(new Set(told)).toEqual(new Set(all))
        expect(told.length).toBe(all.length)
      }
    },
  )

  it('folds a response and the results of its calls into one step', () => {
    const { steps } = sessionToAtif(
      sessionOf([
        { type: 'user', origin: 'typed', text: 'Go on.' },
        { type: 'reasoning', text: 'First look.' },
        { type: 'assistant', text: 'I look.', model: 'm1' },
        call('a', { command: 'ls' }),
        call('b', 'raw text'),
        { ...result('b', 'B'), exitCode: 2 } as EventDraft,
        result('a', 'A'),
        { type: 'assistant', text: 'Done.' },
      ]),
    )
    expect(steps.map(({ source, message }) => [source, message])).toEqual([
      ['user', 'Go on.'],
      ['agent', 'I look.'],
      ['agent', 'Done.'],
    ])
    expect(steps[1]).toMatchObject({
      model_name: 'm1',
      reasoning_content: 'First look.',
      tool_calls: [
        { tool_call_id: 'a', arguments: { command: 'ls' }, extra: { kind: 'execute' } },
        { tool_call_id: 'b', arguments: { input: 'raw text' }, extra: { raw_input: true } },
      ],
      observation: {
        results: [
          { source_call_id: 'b', content: 'B', extra: { exit_code: 2 } },
          { source_call_id: 'a', content: 'A' },
        ],
      },
    })
  })

  it('embeds subagents, and survives one that is its own ancestor', () => {
    const session = sessionOf(
      [
        call('t'),
        { type: 'subagent_start', child: 'kid', callId: 't' },
        { type: 'context', origin: 'agent', text: 'Count files.', agent: 'kid' },
        { type: 'assistant', text: '3 files.', agent: 'kid' },
        { type: 'subagent_end', child: 'kid', callId: 't' },
        { type: 'assistant', text: 'lost', agent: 'x' },
      ],
      [
        { id: 'kid', parent: 'main', type: 'counter' },
        { id: 'x', parent: 'y' },
        { id: 'y', parent: 'x' },
      ],
    )
    const trajectory = sessionToAtif(session)
    expect(trajectory.steps[0]?.observation?.results).toEqual([
      { source_call_id: 't', subagent_trajectory_ref: [{ trajectory_id: 'kid' }] },
    ])
    const kid = trajectory.subagent_trajectories?.find(({ trajectory_id }) => trajectory_id === 'kid')
    expect(kid?.agent.extra).toEqual({ type: 'counter' })
    expect(kid?.steps.map(({ source, message }) => [source, message])).toEqual([
      ['user', 'Count files.'],
      ['agent', '3 files.'],
    ])
    expect(JSON.stringify(trajectory)).toContain('lost')
  })
})

describe('sessionToMarkdown', () => {
  it.each(fixtureFolders())('names every event of the %s samples', async (folder) => {
    for (const { bytes } of samplesOf(folder)) {
      const session = await readSession(bytes)
      const ids = [...markdownOf(session).matchAll(/^\*\*(e\d+) /gm)].map(([, id]) => id)
      expect(ids).toEqual(session.events.map(({ id }) => id))
    }
  })

  it('keeps the text of a log inside its block', () => {
    const hostile = '````\n# Heading\n<script>alert(1)</script>\n\u001b]0;title\u0007~~~\n'
    const session = sessionOf([
      { type: 'user', origin: 'typed', text: hostile },
      call('a', { command: hostile }),
      result('a', hostile),
      { type: 'assistant', text: hostile, model: '<img src=x>\n# no' },
    ])
    const markdown = markdownOf(session)
    let fence: string | undefined
    const outside = markdown.split('\n').filter((line) => {
      const mark = /^`{3,}/.exec(line)?.[0]
      if (
        mark === undefined ||
        (fence !== undefined && !(line.trim() === mark && mark.length >= fence.length))
      )
        return fence === undefined
      fence = fence === undefined ? mark : undefined
      return false
    })
    expect(fence).toBeUndefined()
    expect(outside.filter((line) => /(^|[^\\])<[a-z]/i.test(line.replaceAll(/`[^`]*`/g, '')))).toEqual([])
    expect(outside.filter((line) => /^#+ /.test(line))).toEqual(['# Session 0000000000000000', '## Turn 1'])
    expect(markdown).not.toContain('\u001b')
  })

  it("cuts long outputs in the middle with a mark, but not the user's words", () => {
    const long = 'x'.repeat(9000)
    const session = sessionOf([{ type: 'user', origin: 'typed', text: long }, call('a'), result('a', long)])
    const markdown = markdownOf(session)
    expect(markdown).toContain(long)
    expect(markdown).toContain('[… 5000 characters left out …]')
    expect([...sessionToMarkdown(session, { maxLength: 9000 })].join('')).not.toContain('left out')
  })
})
