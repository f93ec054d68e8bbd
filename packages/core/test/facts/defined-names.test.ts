import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { makeSession } from '../support/session.ts'

let calls = 0

function edit(name: string, input: unknown, status: 'ok' | 'error' = 'ok'): EventDraft[] {
  const callId = `c${++calls}`
  return [
    { type: 'tool_call', callId, name, kind: 'edit', input },
    { type: 'tool_result', callId, status, text: 'done' },
  ]
}

const definesOf = (...drafts: EventDraft[][]) =>
  extractFacts(makeSession(drafts.flat())).files.map(({ path, defines }) => [path, defines])

describe('names that edits define', () => {
  it.each([
    [
      'a.ts',
      'export async function readLog() {}\ninterface LogLine {\n  at: number\n}\nexport const limit = 3\nconst toLine = (text: string) => text\nconst local = 7',
      ['readLog', 'LogLine', 'limit', 'toLine'],
    ],
    [
      'a.go',
      'func (s *Store) LoadState(root string) error {\n}\ntype WingState struct {\n\tAppliedAt *time.Time `json:"applied_at"`\n}',
      ['LoadState', 'WingState', 'AppliedAt'],
    ],
    [
      'a.py',
      'class Loader(Base):\n    """class of things"""\n    async def load_all(self):\n        return None',
      ['Loader', 'load_all'],
    ],
    ['a.rs', 'pub(crate) fn parse_head(line: &str) -> Head {\npub enum Kind {', ['parse_head', 'Kind']],
    ['a.rb', 'module Billing\n  def self.charge_all(user)\n', ['Billing', 'charge_all']],
    ['a.ex', 'defmodule Vault do\n  def open_vault(key) do', ['Vault', 'open_vault']],
    ['a.sql', 'CREATE TABLE IF NOT EXISTS pupil_groups (', ['pupil_groups']],
    ['notes.md', 'function readLog() {}', undefined],
  ])('are found in %s', (path, content, expected) => {
    expect(definesOf(edit('Write', { file_path: path, content }))).toEqual([[path, expected]])
  })

  it('are those of all edits that were done, also above the changed lines', () => {
    expect(
      definesOf(
        edit('Edit', {
          file_path: 'a.ts',
          old_string: 'function first() {\n  return 1',
          new_string: 'function first() {\n  return 2',
        }),
        edit('Edit', { file_path: 'a.ts', old_string: 'x', new_string: 'class Second {' }),
        edit('Edit', { file_path: 'a.ts', old_string: 'y', new_string: 'class Third {' }, 'error'),
        edit('MultiEdit', { file_path: 'b.ts', edits: [{ old_string: 'a', new_string: 'type Fourth = 4' }] }),
      ),
    ).toEqual([
      ['a.ts', ['first', 'Second']],
      ['b.ts', ['Fourth']],
    ])
  })

  it('belong each to its file in a patch, without what it removes', () => {
    const patch =
      '*** Begin Patch\n*** Update File: a.ts\n@@ function outer() {\n-function gone() {}\n+function added() {}\n*** Add File: b.py\n+def made():\n+  pass\n*** End Patch'
    expect(definesOf(edit('apply_patch', { input: patch }))).toEqual([
      ['a.ts', ['outer', 'added']],
      ['b.py', ['made']],
    ])
  })
})
