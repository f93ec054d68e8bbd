import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { readSession } from '../../src/readers/read-session.ts'

/** A log in which one command was run, as each format of messages records it. */
const formats: Readonly<Record<string, (command: string, output: string) => unknown>> = {
  'openai-chat': (command, output) => [
    { role: 'user', content: 'Run the tests.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'bash', arguments: JSON.stringify({ command }) } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: output },
    { role: 'assistant', content: 'That is how it ended.' },
  ],
  'openai-responses': (command, output) => [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Run the tests.' }] },
    { type: 'function_call', call_id: 'c1', name: 'bash', arguments: JSON.stringify({ command }) },
    { type: 'function_call_output', call_id: 'c1', output },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'That is how it ended.' }] },
  ],
  'anthropic-messages': (command, output) => [
    { role: 'user', content: 'Run the tests.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'bash', input: { command } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: output }] },
    { role: 'assistant', content: [{ type: 'text', text: 'That is how it ended.' }] },
  ],
  'ai-sdk': (command, output) => [
    { role: 'user', content: [{ type: 'text', text: 'Run the tests.' }] },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'bash', input: { command } }],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'bash', output: { type: 'text', value: output } },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'That is how it ended.' }] },
  ],
}

describe.each(Object.entries(formats))('a log of %s, which has no exit codes', (format, logOf) => {
  const run = async (command: string, output: string) => {
    const session = await readSession({ parsed: logOf(command, output) }, { format })
    const { commands, errors, validation } = extractFacts(session)
    const result = session.events.find((event) => event.type === 'tool_result')
    return {
      told: result?.status,
      status: commands[0]?.status,
      errors: errors.length,
      last: validation?.status,
    }
  }

  it.each([
    ['npm test', 'FAIL src/sum.test.ts\n  × adds\nTests: 1 failed, 3 passed, 4 total\nnpm ERR! Test failed.'],
    ['npm test', 'bash: npm: command not found'],
    ['npm test', 'exit code: 1'],
    [
      'python -m pytest',
      'Traceback (most recent call last):\n  File "a.py", line 1\nImportError: no module x',
    ],
    ['cargo build', 'error: could not compile `app` (bin "app") due to 2 previous errors'],
  ])('makes %s a failure because of its output: %j', async (command, output) => {
    expect(await run(command, output)).toEqual({ told: 'error', status: 'error', errors: 1, last: 'error' })
  })

  it.each([
    ['npm test', 'Tests: 4 passed, 4 total'],
    ['go test ./...', 'ok  \tex.org/app\t0.02s'],
    ['make', 'cc -o app app.c\nexit code: 0'],
  ])('makes %s a success because of its output: %j', async (command, output) => {
    expect(await run(command, output)).toEqual({ told: 'ok', status: 'ok', errors: 0, last: 'ok' })
  })

  it.each([
    ['npm test', ''],
    ['npm test', '> app@1.0.0 test\n> run-tests'],
    ['npx tsc --noEmit', ''],
  ])('leaves the outcome of %s unknown if it printed %j', async (command, output) => {
    expect(await run(command, output)).toEqual({
      told: 'unknown',
      status: 'unknown',
      errors: 0,
      last: 'unknown',
    })
  })

  it.each(['rm lid.ts', 'mkdir -p kiln && touch kiln/door.ts'])(
    'takes %s for done if it is silent',
    async (command) => {
      expect(await run(command, '')).toMatchObject({ told: 'ok', status: 'ok', errors: 0 })
      expect(await run(`${command} ; node door.js`, '')).toMatchObject({ status: 'unknown' })
    },
  )

  it('does not treat the content of a file as the outcome of a command', async () => {
    expect(await run('cat last-run.log', 'Tests: 1 failed, 3 passed, 4 total')).toMatchObject({
      told: 'unknown',
      status: 'unknown',
      errors: 0,
    })
  })
})
