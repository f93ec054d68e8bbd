import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { aiSdkReader } from '../../src/readers/ai-sdk/ai-sdk.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { ofType } from './events.ts'
import { outline, readSample, readValue } from './message-logs.ts'

describe('messages of the user interface', async () => {
  it('show a command that the user stopped by the words below its output', async () => {
    const call = (id: string, output: string) => ({
      type: 'tool-bash',
      toolCallId: id,
      state: 'output-available',
      input: { command: 'npm install' },
      output,
    })
    const stop = '(no output)\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>'
    const session = await readValue('ai-sdk', [
      { role: 'user', parts: [{ type: 'text', text: 'Add it.' }] },
      { role: 'assistant', parts: [call('c1', stop), call('c2', `${stop}\nadded 3 packages`)] },
    ])
    expect(ofType(session, 'tool_result').map(({ status }) => status)).toEqual(['cancelled', 'ok'])
  })

  it('count the cache as input if token counts exclude it', async () => {
    const tokens = { input: 10, output: 5, cache: { read: 100, write: 20 } }
    const session = await readValue('ai-sdk', [
      { role: 'assistant', metadata: { tokens }, parts: [{ type: 'text', text: 'Hi.' }] },
    ])
    expect(session.usage[0]?.usage).toEqual({
      inputTokens: 130,
      outputTokens: 5,
      cacheReadTokens: 100,
      cacheWriteTokens: 20,
    })
  })
})

describe('steps of generateText', async () => {
  const session = await readSample('ai-sdk/steps.json')

  it('are recognized beside messages and alone, and have time, model and usage', async () => {
    expect(outline(session)).toEqual([
      'user typed Round the totals.',
      'assistant I look first.',
      'call bash (execute)',
      'call read (read)',
      'result error 2',
      'result error',
      'context attachment Rounding',
      'assistant There is no such file.',
    ])
    expect(ofType(session, 'assistant')).toMatchObject([
      { model: 'large-1', time: '2026-05-04T08:00:00.000Z' },
      { model: 'large-1', time: '2026-05-04T08:00:05.000Z' },
    ])
    expect(session.usage).toEqual([
      {
        agent: 'main',
        model: 'large-1',
        usage: {
          inputTokens: 220,
          outputTokens: 38,
          cacheReadTokens: 170,
          cacheWriteTokens: 10,
          reasoningTokens: 5,
        },
      },
    ])
    const [, ...steps] = JSON.parse(
      readFileSync(new URL('../fixtures/ai-sdk/steps.json', import.meta.url), 'utf8'),
    )
    expect((await readSession({ parsed: steps })).usage).toEqual(session.usage)
  })
})

describe('messages for the model', async () => {
  it('have outputs of each type', async () => {
    const outputs = [
      { type: 'json', value: { exit_code: 3 } },
      { type: 'error-json', value: { a: 1 } },
      { type: 'execution-denied', reason: 'no' },
      {
        type: 'content',
        value: [
          { type: 'text', text: 'x' },
          { type: 'media', data: 'AAAA' },
        ],
      },
    ]
    const session = await readValue('ai-sdk', [
      {
        role: 'assistant',
        content: outputs.map((_, n) => ({
          type: 'tool-call',
          toolCallId: `c${n}`,
          toolName: 't',
          input: {},
        })),
      },
      {
        role: 'tool',
        content: outputs.map((output, n) => ({
          type: 'tool-result',
          toolCallId: `c${n}`,
          toolName: 't',
          output,
        })),
      },
    ])
    expect(ofType(session, 'tool_result')).toMatchObject([
      { status: 'error', exitCode: 3 },
      { status: 'error' },
      { status: 'denied', text: 'no' },
      { status: 'ok', text: 'x', images: 1 },
    ])
  })
})

describe('detection', () => {
  it('leaves exports of agents alone', () => {
    const score = (document: unknown): number =>
      aiSdkReader.detect({ name: 'log', text: '', records: [], document })
    expect(score([{ role: 'assistant', parts: [{ type: 'step-start' }] }])).toBeGreaterThan(0.5)
    expect(score({ info: { id: 'ses_1' }, messages: [{ info: { role: 'user' }, parts: [] }] })).toBe(0)
    expect(score([{ role: 'model', parts: [{ text: 'Hi' }] }])).toBe(0)
    expect(score([{ role: 'user', parts: [{ text: 'Hi' }] }])).toBe(0)
  })
})
