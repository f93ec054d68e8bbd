import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import { totalUsage } from '../../src/session/usage.ts'
import { outline, readSample, readValue } from './message-logs.ts'

// What LangChain 1.4, LangGraph 1.7, the OpenAI Agents SDK 0.20, Codex 0.163 and the AI SDK 7 wrote of one task, which
// a server on this machine answered.
const lamp = [
  'user typed Why does the lamp test fail?',
  'assistant I run the tests first.',
  'call shell (execute)',
  'call read_file (read)',
  'result error',
  'result ok',
  'call shell (execute)',
  'result error',
  'assistant The lamp test fails because of a wrong default.',
]
const usage = { inputTokens: 360, outputTokens: 90, cacheReadTokens: 192 }

describe('messages of LangChain', () => {
  it.each(['state.json', 'snapshot.json', 'stored.jsonl'])('are read from %s', async (name) => {
    const session = await readSample(`langchain/${name}`)
    expect(session).toMatchObject({ format: 'langchain', models: ['gpt-5.1'] })
    expect(outline(session)).toEqual(lamp)
    expect(totalUsage(session.usage)).toEqual({ ...usage, reasoningTokens: 24 })
  })

  it('may come from a server of LangGraph, with pictures and thoughts', async () => {
    const messages = [
      {
        type: 'human',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: {} },
        ],
      },
      {
        type: 'ai',
        content: [
          { type: 'thinking', thinking: 'A lamp.' },
          { type: 'text', text: 'A lamp.' },
        ],
      },
      { type: 'remove', id: 'm1' },
    ]
    const session = await readValue('langchain', { messages, files: {} })
    expect(outline(session)).toEqual([
      'user typed What is this?',
      'reasoning A lamp.',
      'assistant A lamp.',
      'other',
    ])
    expect(session.events[0]).toMatchObject({ images: 1 })
  })
})

describe('traces', () => {
  it.each(['langsmith/runs.jsonl', 'otel-genai/ai-sdk.json'])(
    'repeat a conversation in each call of the model, and %s is read once',
    async (name) => {
      const session = await readSample(name)
      expect(outline(session)).toEqual(['context system You mend lamps.', ...lamp])
      expect(totalUsage(session.usage)).toMatchObject(usage)
      const times = session.events.map(({ time = '' }) => time)
      expect(times).toEqual([...times].sort())
    },
  )

  it('hold child runs', async () => {
    const session = await readSample('langsmith/tree.json')
    expect(session).toMatchObject({ format: 'langsmith', id: 'thread-1' })
    expect(outline(session).slice(0, 6)).toEqual(['context system You mend lamps.', ...lamp.slice(0, 5)])
  })

  it.each([
    ['chat', { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } }, 9],
    ['responses', { input_tokens: 9, output_tokens: 2, input_tokens_details: { cached_tokens: 4 } }, 9],
    ['messages', { input_tokens: 9, output_tokens: 2, cache_read_input_tokens: 4 }, 13],
  ])('have the usage of an API that was called directly: %s', async (_, usage, inputTokens) => {
    const outputs = { choices: [{ message: { role: 'assistant', content: 'Off.' } }], usage }
    const run = {
      id: 'r',
      run_type: 'llm',
      inputs: { messages: [{ role: 'user', content: 'On?' }] },
      outputs,
    }
    const session = await readSession({ parsed: [run] })
    expect(totalUsage(session.usage)).toEqual({ inputTokens, outputTokens: 2, cacheReadTokens: 4 })
  })

  it('hold agents that an agent began', async () => {
    const session = await readSample('otel-genai/agents.jsonl')
    expect(session).toMatchObject({ format: 'otel-genai', id: 'conv-7' })
    expect(outline(session)).toEqual([
      'user typed Why is the lamp off?',
      'call search (search)',
      'subagent_start',
      'r2: context agent Find where the lamp is switched.',
      'r2: reasoning Look at the switch.',
      'r2: call bash (execute)',
      'r2: result unknown',
      'r2: assistant In src/lamp.ts, line 3.',
      'subagent_end',
      'result ok',
      'assistant Line 3 of src/lamp.ts turns it off.',
    ])
    expect(session.agents[1]).toMatchObject({ parent: 'main', callId: 'toolu_1', type: 'finder' })
  })

  it.each(['trace.json', 'observations.jsonl'])('of Langfuse are read from %s', async (name) => {
    const session = await readSample(`langfuse/${name}`)
    expect(outline(session)).toEqual([
      'context system You mend lamps.',
      ...lamp.slice(0, 3),
      'result error 1',
      'assistant The lamp test fails because of a wrong default.',
      'context harness Rate limit reached',
    ])
    // Langfuse counts what was read from the cache apart from the input.
    expect(totalUsage(session.usage)).toMatchObject({ inputTokens: 240, cacheReadTokens: 128 })
  })

  it('may hold several sessions, of which the last is read or the one asked for', async () => {
    const span = (traceId: string, startTime: string, output: string) => ({
      id: `g-${traceId}`,
      traceId,
      type: 'GENERATION',
      startTime,
      input: 'Hello',
      output,
    })
    const list = [span('a', '2026-09-21T10:00:00Z', 'One'), span('b', '2026-09-21T11:00:00Z', 'Two')]
    const last = await readValue('langfuse', list)
    expect(last.id).toBe('b')
    expect(last.notes[0]).toMatchObject({ code: 'other-sessions' })
    expect(outline(last)).toEqual(['user typed Hello', 'assistant Two'])
  })
})

describe('items of the OpenAI Agents SDK', () => {
  it.each(['history.json', 'session.jsonl', 'run-state.json'])('are read from %s', async (name) => {
    const session = await readSample(`openai-agents/${name}`)
    expect(session.format).toBe('openai-agents')
    const [first, ...rest] = lamp
    const spoken = outline(session).filter((line) => !/transfer|assistant":"mender/.test(line))
    expect(spoken.slice(0, 7)).toEqual([
      first,
      'reasoning Run the tests, then read the file.',
      ...rest.slice(0, 5),
    ])
    expect(spoken.at(-1)).toBe(lamp.at(-1))
  })

  it('of tools that the provider runs keep their own names', async () => {
    const session = await readValue('openai-agents', [
      { type: 'message', role: 'user', content: 'Search the web.', providerData: {} },
      {
        type: 'hosted_tool_call',
        id: 'ws_1',
        name: 'web_search_call',
        status: 'completed',
        providerData: { type: 'web_search_call', action: { type: 'search', query: 'lamp' } },
      },
      { type: 'shell_call', callId: 'c1', action: { commands: ['false'] } },
      {
        type: 'shell_call_output',
        callId: 'c1',
        output: [{ stdout: '', stderr: 'no', outcome: { type: 'exit', exitCode: 1 } }],
      },
    ])
    expect(outline(session)).toEqual([
      'user typed Search the web.',
      'call web_search (fetch)',
      'call shell (execute)',
      'result error 1',
    ])
  })
})

describe('events of the Codex SDK', () => {
  it('give commands with exit codes, changes of files, and the check list as it was last', async () => {
    const session = await readSample('codex-exec/events.jsonl')
    expect(outline(session)).toEqual([
      'reasoning **Running the tests**',
      'call exec_command (execute)',
      'result error 1',
      'call apply_patch (edit)',
      'result ok',
      'assistant The lamp is on by default now.',
      'call update_plan (think)',
      'result ok',
      'call docs.search (search)',
      'result ok',
      'call web_search (fetch)',
      'result ok',
      'context harness stream disconnected before completion',
    ])
    expect(session.events[4]).toMatchObject({
      changes: [
        { path: '/srv/lamp/lamp.txt', action: 'modified' },
        { path: '/srv/lamp/new.txt', action: 'created' },
      ],
    })
    expect(session.events[6]).toMatchObject({
      input: {
        plan: [
          { step: 'Run the tests', status: 'completed' },
          { step: 'Mend the lamp', status: 'completed' },
        ],
      },
    })
    expect(totalUsage(session.usage)).toMatchObject({ inputTokens: 480, cacheReadTokens: 256 })
  })

  it('are read from a turn that `run()` returned', async () => {
    const { format, events } = await readSession(new URL('../fixtures/codex-exec/turn.json', import.meta.url))
    expect(format).toBe('codex-exec')
    expect(events.at(-1)).toMatchObject({ type: 'assistant', text: 'The lamp is on by default now.' })
  })
})
