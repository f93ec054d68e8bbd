import { describe, expect, it } from 'vitest'
import { toolKind } from '../../src/readers/claude-code/tools.ts'
import { log, read } from './claude-code-log.ts'
import { ofType } from './events.ts'

async function resultOf(name: string, content: unknown, block: object = {}, more: object = {}) {
  const { call, result } = log()
  const session = await read([call('c1', name), result('c1', content, block, more)])
  return ofType(session, 'tool_result')[0]
}
const failed = { is_error: true }

describe('tools of Claude Code', () => {
  it('have kinds', () => {
    for (const [kind, names] of Object.entries({
      read: ['Read'],
      edit: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'],
      execute: ['Bash', 'PowerShell', 'BashOutput', 'KillShell'],
      search: ['Grep', 'Glob', 'LS'],
      fetch: ['WebFetch', 'WebSearch'],
      think: ['TodoWrite'],
      switch_mode: ['ExitPlanMode', 'EnterPlanMode'],
      other: ['Task', 'Agent', 'Skill', 'mcp__linear__get_issue', 'constructor', ''],
    })) {
      expect(names.map(toolKind)).toEqual(names.map(() => kind))
    }
  })

  it('give text as a string or a list', async () => {
    expect(await resultOf('Read', 'plain')).toMatchObject({ status: 'ok', text: 'plain', callId: 'c1' })
    const list = [
      { type: 'text', text: 'a' },
      { type: 'image', source: { data: 'AAAA' } },
      { type: 'tool_reference', tool_name: 'Monitor' },
    ]
    expect(await resultOf('Read', list)).toMatchObject({ text: 'a\ntool: Monitor', images: 1 })
  })

  it('use the text outside the message only if the message is empty', async () => {
    const printed = { toolUseResult: { stdout: 'out', stderr: 'err', interrupted: false } }
    expect(await resultOf('Bash', 'text', {}, printed)).toMatchObject({ text: 'text' })
    expect(await resultOf('Bash', '', {}, printed)).toMatchObject({ text: 'out\nerr' })
    expect(
      await resultOf('Read', undefined, {}, { toolUseResult: { file: { content: 'x' } } }),
    ).toMatchObject({ text: 'x' })
    expect(
      await resultOf('Read', [{ type: 'image' }], {}, { toolUseResult: { file: { base64: 'AA' } } }),
    ).toMatchObject({ text: '', images: 1 })
  })

  it('report failure, refusal and interruption', async () => {
    for (const [status, content, block, more] of [
      ['error', 'Exit code 2\nno', failed, {}],
      ['ok', 'Exit code 2 is what it said', {}, {}],
      ['denied', "The user doesn't want to take this action right now.", failed, {}],
      ['denied', 'Permission to use Bash has been denied.', failed, {}],
      ['denied', 'blocked', failed, { toolDenialKind: 'permission-rule' }],
      ['ok', "The user doesn't want to take this action right now.", {}, {}],
      ['cancelled', '[Request interrupted by user for tool use]', failed, {}],
      ['cancelled', '<tool_use_error>Sibling tool call errored</tool_use_error>', failed, {}],
      ['cancelled', '', {}, { toolUseResult: { interrupted: true, stdout: 'part' } }],
    ] as const) {
      expect(await resultOf('Bash', content, block, more)).toMatchObject({ status })
    }
  })

  it('report exit codes if the log has them', async () => {
    expect(await resultOf('Bash', 'Exit code 127\nnot found', failed)).toMatchObject({ exitCode: 127 })
    expect(await resultOf('Bash', 'Error: Exit code -1', failed)).toMatchObject({ exitCode: -1 })
    expect(await resultOf('BashOutput', 'x', {}, { toolUseResult: { exitCode: 0 } })).toMatchObject({
      exitCode: 0,
    })
    expect(await resultOf('Bash', 'fine')).not.toHaveProperty('exitCode')
  })

  it('report changes of files', async () => {
    const patch = [{ lines: [' a', '-b', '+c', '+d'] }, { lines: ['+e'] }, null, { lines: [5] }]
    const edit = { toolUseResult: { filePath: '/a.ts', structuredPatch: patch, originalFile: 'long' } }
    expect(await resultOf('Edit', 'ok', {}, edit)).toMatchObject({
      changes: [{ path: '/a.ts', action: 'modified', added: 3, removed: 1 }],
    })
    const create = {
      toolUseResult: { type: 'create', filePath: 'C:\\b.ts', content: 'a\nb\n', structuredPatch: [] },
    }
    expect(await resultOf('Write', 'ok', {}, create)).toMatchObject({
      changes: [{ path: 'C:\\b.ts', action: 'created', added: 2, removed: 0 }],
    })
    expect(await resultOf('Edit', 'no', failed, edit)).not.toHaveProperty('changes')
    expect(await resultOf('mcp__x__y', 'ok', {}, edit)).not.toHaveProperty('changes')
    expect(await resultOf('Read', 'ok', {}, { toolUseResult: { filePath: '/a' } })).not.toHaveProperty(
      'changes',
    )
  })

  it('keep the stub of output that was stored elsewhere', async () => {
    const stub =
      '<persisted-output>\nOutput too large (1 MB). Full output saved to: /x.txt\n</persisted-output>'
    expect(await resultOf('Bash', stub)).toMatchObject({ text: stub })
  })
})
