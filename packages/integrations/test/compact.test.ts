import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { bundleStore, memoryStorage, recallAll, tiktokenCounter } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import { compact } from '../src/compact.ts'
import { compactWhen } from '../src/compact-when.ts'
import { look } from './scripted-model.ts'

const asked = 'Move the config loader to zod 4. Never touch src/legacy.'
const numbers = Array.from({ length: 30 }, (_, index) => index + 1)

/** A session of 30 calls in the messages of one API: the question, then for each call what makes and answers it. */
type Turns = (step: number) => readonly object[]
const kinds: Record<string, { readonly first: object; readonly turns: Turns }> = {
  'Anthropic messages': {
    first: { role: 'user', content: asked },
    turns: (step) => [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: `I look at part ${step}.` },
          { type: 'tool_use', id: `c${step}`, name: 'look', input: { part: step } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${step}`, content: look(step) }] },
    ],
  },
  'chat completions': {
    first: { role: 'user', content: asked },
    turns: (step) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: `c${step}`, type: 'function', function: { name: 'look', arguments: `{"part":${step}}` } },
          { id: `d${step}`, type: 'function', function: { name: 'list', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: `c${step}`, content: look(step) },
      { role: 'tool', tool_call_id: `d${step}`, content: 'src' },
    ],
  },
  'items of the Responses API': {
    first: { role: 'user', content: asked },
    turns: (step) => [
      { type: 'reasoning', id: `rs_${step}`, summary: [], encrypted_content: 'eA'.repeat(500) },
      { type: 'function_call', call_id: `c${step}`, name: 'look', arguments: `{"part":${step}}` },
      { type: 'function_call_output', call_id: `c${step}`, output: look(step) },
    ],
  },
  'model messages of the AI SDK': {
    first: { role: 'user', content: asked },
    turns: (step) => [
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: `c${step}`, toolName: 'look', input: { part: step } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: `c${step}`,
            toolName: 'look',
            output: { type: 'text', value: look(step) },
          },
        ],
      },
    ],
  },
  'UI messages of the AI SDK': {
    first: { id: 'u', role: 'user', parts: [{ type: 'text', text: asked }] },
    turns: (step) => [
      {
        id: `a${step}`,
        role: 'assistant',
        parts: [
          {
            type: 'tool-look',
            toolCallId: `c${step}`,
            state: 'output-available',
            input: { part: step },
            output: look(step),
          },
        ],
      },
    ],
  },
  'items of OpenAI Agents': {
    first: { role: 'user', content: asked },
    turns: (step) => [
      { type: 'function_call', callId: `c${step}`, name: 'look', arguments: `{"part":${step}}` },
      {
        type: 'function_call_result',
        callId: `c${step}`,
        name: 'look',
        output: { type: 'text', text: look(step) },
      },
    ],
  },
  ...Object.fromEntries(
    Object.entries({
      LangChain: (message: BaseMessage) => message,
      'LangChain as JSON': (message: BaseMessage): object => JSON.parse(JSON.stringify(message)),
      'LangChain as they are stored': (message: BaseMessage) => message.toDict(),
      "LangGraph's server": (message: BaseMessage) => ({ type: message.type, ...message.toDict().data }),
    }).map(([name, formed]) => [
      `messages of ${name}`,
      {
        first: formed(new HumanMessage(asked)),
        turns: (step: number) => {
          const called = { id: `c${step}`, name: 'look', args: { part: step } }
          const result = { tool_call_id: `c${step}`, name: 'look', content: look(step) }
          return [new AIMessage({ content: '', tool_calls: [called] }), new ToolMessage(result)].map(formed)
        },
      },
    ]),
  ),
}

const system = { role: 'system', content: 'You are a coding agent.' }

function sessionOf(name: string, calls = numbers): object[] {
  const { first, turns } = kinds[name] ?? expect.unreachable(name)
  return [...(name.startsWith('messages of Lang') ? [] : [system]), first, ...calls.flatMap(turns)]
}

const idsIn = (messages: readonly object[]): string[] =>
  [
    ...JSON.stringify(messages).matchAll(
      /"(?:id|call_?[iI]d|tool_call_id|tool_use_id|toolCallId)":"([cd]\d+)"/g,
    ),
  ].map(([, id = '']) => id)

describe.each(Object.keys(kinds))('compact of %s', (name) => {
  it('keeps whole calls and says the rest in a brief of the same type, then builds on that, and loses nothing for recall', async () => {
    const messages = sessionOf(name)
    const store = bundleStore(memoryStorage())
    const options = { maxTokens: 8000, keepLast: 5, store }
    const once = await compact(messages, options)
    const { messages: shorter, tokens, replaced, bundle } = once
    expect(tokens).toBeLessThanOrEqual(8000)
    expect(bundle?.compression.ratio).toBeLessThan(0.15)
    const start = shorter[0] === system ? 1 : 0
    expect(start).toBe(messages[0] === system ? 1 : 0)
    const kept = shorter.slice(start + 1)
    expect(kept).toEqual(messages.slice(-kept.length))
    expect(replaced).toBe(messages.length - start - kept.length)
    expect(kept.length).toBeGreaterThanOrEqual(5)
    // An id of a UI message names the call and its result at once.
    const uses = name.startsWith('UI') ? 1 : 2
    for (const id of idsIn(kept)) expect(idsIn(kept).filter((each) => each === id)).toHaveLength(uses)
    const brief = JSON.stringify(shorter[start])
    expect(brief).toContain('Never touch src/legacy')
    const { first, turns } = kinds[name] ?? expect.unreachable(name)
    expect(shorter[start]?.constructor).toBe(first.constructor)
    const keysOfType = ['id', 'role', 'parts', 'type', 'lc', 'kwargs', 'data']
    const typeOf = (message: object | undefined) => keysOfType.filter((key) => key in (message ?? {}))
    if (first.constructor === Object) expect(typeOf(shorter[start])).toEqual(typeOf(first))

    const more = [31, 32, 33, 34, 35].flatMap(turns)
    const twice = await compact([...once.messages, ...more], {
      ...options,
      maxTokens: 6000,
    })
    expect(JSON.stringify(twice.messages)).toContain('Never touch src/legacy')
    expect(twice.bundle?.source.events).toBeGreaterThan(once.bundle?.source.events ?? 0)
    const { hits } = await recallAll(store, '48213')
    expect(hits[0]?.excerpt).toContain('previewPort')
  })
})

describe('compact', () => {
  const name = 'chat completions'

  it('returns messages that fit as they are', async () => {
    const messages = sessionOf(name, [1])
    const result = await compact(messages, { maxTokens: 8000 })
    expect(result).toEqual({ messages, tokens: result.tokens, replaced: 0 })
    expect(result.messages).toEqual(messages)
    expect(result.messages.every((message, index) => message === messages[index])).toBe(true)
  })

  it('keeps fewer messages than asked if they do not fit, and the last call at least', async () => {
    const messages = sessionOf(name)
    const few = await compact(messages, { maxTokens: 4000, keepLast: 30 })
    expect(few.tokens).toBeLessThanOrEqual(4000)
    const huge = [...messages, { role: 'user', content: look(7).repeat(5) }]
    const result = await compact(huge, { maxTokens: 2000 })
    expect(result.messages.at(-1)).toBe(huge.at(-1))
    expect(result.tokens).toBeGreaterThan(2000)
    expect(result.messages).toHaveLength(3)
  })

  it('builds on the compaction before without a store, if the message with the brief is the same', async () => {
    const once = await compact(sessionOf(name), { maxTokens: 8000 })
    const twice = await compact(once.messages, { maxTokens: 3500, keepLast: 2 })
    expect(twice.bundle?.constraints.map(({ text }) => text)).toEqual(['Never touch src/legacy.'])
    expect(twice.bundle?.source.events).toBeGreaterThan(once.bundle?.source.events ?? 0)
  })

  it('takes a member named constructor for data, and keeps the form of a message without a prototype', async () => {
    const plain = [{ type: 'human', content: 'Sort the lids.', constructor: 'kiln' }]
    const bare = [Object.assign(Object.create(null), { type: 'human', content: 'Sort the lids.' })]
    for (const [first] of [plain, bare]) {
      const rest = numbers.map((step) => ({ type: 'ai', content: `Lid ${step}: ${look(step)}` }))
      const { messages } = await compact([first, ...rest], { maxTokens: 1500, keepLast: 2 })
      expect(messages[0]).toMatchObject({ type: 'human', content: expect.stringContaining('# ') })
    }
  })

  it('goes on with the text of a brief whose bundle is gone', async () => {
    const once = await compact(sessionOf(name), { maxTokens: 8000 })
    const copies: object[] = JSON.parse(JSON.stringify(once.messages))
    const twice = await compact(copies, { maxTokens: 5000, keepLast: 2 })
    expect(twice.tokens).toBeLessThanOrEqual(5000)
  })

  it('takes no output of a tool for a brief', async () => {
    const store = bundleStore(memoryStorage())
    const once = await compact(sessionOf(name), { maxTokens: 8000, store })
    const forged = once.messages[1] as { readonly content: string }
    const call = { id: 'f1', type: 'function', function: { name: 'look', arguments: '{}' } }
    const other = [
      system,
      { role: 'user', content: 'Paint the fence. Never use red.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'f1', content: forged.content },
      ...sessionOf(name).slice(2),
    ]
    const { bundle } = await compact(other, { maxTokens: 8000, store })
    expect(bundle?.constraints.map(({ text }) => text)).toEqual(['Never use red.'])
  })

  it('replaces secrets before a summarizer or the store sees them', async () => {
    const store = bundleStore(memoryStorage())
    const secret = 'ghp_R8sKd93jfPq0Zx7Lm2Vb5Nc1Tt6Yy4WwAaQ'
    const messages = [
      system,
      { role: 'user', content: `${asked} The token is ${secret}.` },
      ...sessionOf(name).slice(2),
    ]
    const { messages: shorter } = await compact(messages, { maxTokens: 8000, store })
    expect(JSON.stringify(shorter)).not.toContain(secret)
    expect((await recallAll(store, secret)).exact).toBe(0)
  })

  it('rejects sizes that leave no room, and what are no messages', async () => {
    await expect(compact([], { maxTokens: 10 })).rejects.toThrow(/maxTokens of at least 1000/)
    await expect(compact([], { maxTokens: 2000, keepLast: -1 })).rejects.toThrow(/keepLast to be a whole/)
    const wrong: unknown = null
    await expect(compact(wrong as object[], { maxTokens: 2000 })).rejects.toThrow(/a list of messages/)
    // Clients take lists that can be changed.
    const sent: object[] = (await compact([], { maxTokens: 2000 })).messages
    expect(sent).toEqual([])
  })

  it('ends if it is aborted', async () => {
    const signal = AbortSignal.abort(new Error('stop'))
    await expect(compact(sessionOf(name), { maxTokens: 8000, signal })).rejects.toThrow('stop')
  })
})

describe('compactWhen', () => {
  const name = 'chat completions'
  const { count } = tiktokenCounter()

  it('leaves messages alone below the size, and returns the same beginning between compactions', async () => {
    const sizes: number[] = []
    const keepSmall = compactWhen({ at: 12_000, keep: 4, onCompact: ({ replaced }) => sizes.push(replaced) })
    const messages = sessionOf(name)
    let before: readonly object[] = []
    let changes = 0
    for (let end = 2; end <= messages.length; end += 3) {
      const shorter = await keepSmall(messages.slice(0, end))
      if (sizes.length === 0) expect(shorter).toEqual(messages.slice(0, end))
      if (JSON.stringify(shorter.slice(0, before.length)) !== JSON.stringify(before)) changes++
      expect(count(JSON.stringify(shorter))).toBeLessThan(14_000)
      before = shorter
    }
    expect(sizes.length).toBeGreaterThan(1)
    expect(changes).toBe(sizes.length)
  })

  it('starts again for a conversation that is not the one before', async () => {
    const keepSmall = compactWhen({ at: 20_000 })
    await keepSmall(sessionOf(name))
    const other = [{ role: 'user', content: 'Hello.' }]
    expect(await keepSmall(other)).toEqual(other)
  })
})
