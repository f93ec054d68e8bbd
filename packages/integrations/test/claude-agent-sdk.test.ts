import { fileURLToPath } from 'node:url'
import { bundleStore, memoryStorage } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import { recallTool, tenfoldHooks } from '../src/claude-agent-sdk.ts'

const log = fileURLToPath(new URL('../../../examples/logs/claude-code-small.jsonl', import.meta.url))

/** Calls the hooks of an event as the SDK does. */
async function fire(
  hooks: ReturnType<typeof tenfoldHooks>,
  event: keyof ReturnType<typeof tenfoldHooks>,
  session_id = 'first',
) {
  const outputs = []
  for (const matcher of hooks[event])
    for (const hook of matcher.hooks) outputs.push(await hook({ session_id, transcript_path: log }))
  return outputs
}

describe('tenfoldHooks of the Claude Agent SDK', () => {
  it('compress a session when it has answered, and give its brief to the first prompt of the next one', async () => {
    const store = bundleStore(memoryStorage())
    const hooks = tenfoldHooks({ store, track: 'work' })
    expect(await fire(hooks, 'UserPromptSubmit')).toEqual([{}])
    expect(hooks.PreToolUse[0]?.matcher).toBe('mcp__.*__recall')
    expect(await fire(hooks, 'PreToolUse')).toEqual([{}])
    expect(await store.list()).toHaveLength(1)
    expect(await fire(hooks, 'Stop')).toEqual([{}])
    expect(await fire(hooks, 'PreCompact')).toEqual([{}])
    expect(await store.list()).toHaveLength(1)
    const [start] = await fire(hooks, 'UserPromptSubmit', 'second')
    expect(start?.hookSpecificOutput?.hookEventName).toBe('UserPromptSubmit')
    expect(start?.hookSpecificOutput?.additionalContext).toMatch(/^# Resume: .*\nRecord of past work: data/)
    expect(await fire(hooks, 'UserPromptSubmit', 'second')).toEqual([{}])
    const [name, , , answer] = recallTool({ store })
    expect(name).toBe('recall')
    expect((await answer({ query: 'test' })).content[0]?.text).toContain('Quoted from the log')
  })

  it('never fail a session', async () => {
    const errors: unknown[] = []
    const store = bundleStore({
      ...memoryStorage(),
      list: async function* () {
        yield* []
        throw new Error('the disk is gone')
      },
    })
    const hooks = tenfoldHooks({ store, onError: (error) => errors.push(error) })
    for (const event of ['UserPromptSubmit', 'Stop'] as const) expect(await fire(hooks, event)).toEqual([{}])
    expect(errors.map(String)).toEqual([
      expect.stringContaining('the disk is gone'),
      expect.stringContaining('the disk is gone'),
    ])
  })
})
