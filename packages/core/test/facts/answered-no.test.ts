import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { makeSession, shell } from '../support/session.ts'

const failed = { status: 'error', exitCode: 1 } as const

function factsOf(command: string, text: string, outcome: object = failed) {
  const { commands, errors } = extractFacts(makeSession(shell('1', command, text, outcome)))
  return { status: commands[0]?.status, errors: errors.length }
}

describe('an exit code that means no is not an error', () => {
  it.each([
    ['grep -n nope a.mjs', ''],
    ['cd app && grep -rn nope src', ''],
    ['grep -n nope a.mjs', 'Exit code 1'],
    ['grep -n nope a.mjs', '(Bash completed with no output)'],
    ['grep -n nope a.mjs', '\n\nCommand exited with code 1'],
    ['grep -n nope a.mjs', '[Command exited with code 1]\n'],
    ['grep -c nope a.mjs', '0'],
    ['grep -rc nope a.mjs b.mjs', 'Exit code 1\na.mjs:0\nb.mjs:0'],
    ['ls src; grep -rn nope src', 'a.mjs\nb.mjs'],
    ['git log -3 | grep nope', ''],
    ['rg nope && sed -n 1,20p a.mjs', ''],
    ['test -f out.json && cat out.json', ''],
    ['[ -d dist ] && ls dist | head', ''],
    ['diff a b', '< a\n> b'],
    ['cmp a b', 'a b differ: byte 1, line 1'],
    ['docker exec web diff a b', '< a\n> b'],
    ['git diff --exit-code', 'diff --git a/a b/a'],
    ['git -C app diff --quiet', ''],
    ['git merge-base --is-ancestor a b', ''],
    ['git rev-parse --verify -q topic', ''],
    ['git check-ignore dist', ''],
    ['pgrep -f vite', ''],
    ['which deno', 'which: no deno in (/usr/bin)'],
    ['command -v deno', ''],
    ["jq -e '.a' b.json", 'null'],
    ['kill -0 4711', 'bash: kill: (4711) - No such process'],
    ['npm outdated', 'Package Current Wanted Latest\nx 1.0.0 1.0.0 2.0.0'],
  ])('%s', (command, text) => {
    expect(factsOf(command, text)).toEqual({ status: 'ok', errors: 0 })
  })

  it('unlike one with a reason for a failure', () => {
    const isError = (command: string, text: string, outcome: object = failed) =>
      factsOf(command, text, outcome).status === 'error'
    expect(isError('grep x a.mjs', 'grep: a.mjs: No such file', { status: 'error', exitCode: 2 })).toBe(true)
    expect(isError('rg x *_test.go', 'zsh:1: no matches found: *_test.go')).toBe(true)
    expect(isError('ls; grep x a', "The term 'grep' is not recognized as a name of a cmdlet")).toBe(true)
    expect(isError('npm run build && grep x dist/a.js', 'error: cannot build')).toBe(true)
    expect(isError('grep x a && npm run build', 'error: cannot build')).toBe(true)
    expect(isError('git diff --check', 'a:1: trailing whitespace.', { status: 'error', exitCode: 2 })).toBe(
      true,
    )
    expect(isError('jq .a b.json', '')).toBe(true)
    expect(isError('node a.mjs', '')).toBe(true)
  })

  it('in the events of every format', async () => {
    const session = await readSession({
      parsed: {
        messages: [
          { role: 'user', content: 'Look for nope.' },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'grep nope a' } }],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'Exit code 1' }],
          },
        ],
      },
    })
    const result = session.events.find((event) => event.type === 'tool_result')
    expect(result).toMatchObject({ status: 'ok' })
  })
})
