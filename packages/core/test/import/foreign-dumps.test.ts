import { describe, expect, it } from 'vitest'
import { listDumps, loadDump, verifyDump } from '../../src/halt/stored-dumps.ts'
import { importDump } from '../../src/import/import-dump.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'

const secret = `ghp_${'Zq8wE5rT2yU7iO4pA9sD1fG6hJ3k'.padEnd(36, 'L0')}`
const lines = [
  '{"task_id":"T-12","type":"prompt","prompt":"do it"}',
  `{"type":"response","response":"${secret}"}`,
]

function files(more: Readonly<Record<string, string>> = {}): Map<string, Uint8Array> {
  const metadata = {
    ...{
      halt_id: 'h-1',
      halt_timestamp: '2026-05-01T10:00:00Z',
      halt_reason: 'VALIDATION_FAILED',
      task_id: 'T-12',
    },
    ...{
      iteration: 3,
      project_id: 'p1',
      sandbox_root: '/srv/sandbox',
      redis_state_key: 'state:p1',
      halt_details: 'x',
    },
  }
  const held = {
    'metadata.json': JSON.stringify(metadata),
    'supervisor/state-snapshot.json': '{"status":"HALTED"}',
    'agent/conversation.jsonl': `${lines.join('\n')}\n`,
    'agent/execution-context.json': '{"prompt":"do it","exit_code":1,"duration_ms":1200,"agent_mode":"auto"}',
    'filesystem/git-diff.patch': `diff --git a/a.ts b/a.ts\n+${secret}\n`,
    'filesystem/file-manifest.json': '[{"path":"a.ts","status":"modified","size":12}]',
    'filesystem/file-snapshots/src/a.ts': 'const a = 1\n',
    'environment/working-directory.txt': '/srv/sandbox\n',
    'environment/env-vars.json': '{"NODE_ENV":"test","FOO":"1"}',
    ...more,
  }
  return new Map(Object.entries(held).map(([path, text]) => [path, Buffer.from(text)]))
}

const changed = new Date('2026-06-01T00:00:00Z')

describe('a halt dump of another tool', () => {
  it('becomes a dump that verifies, line for line and without secrets', async () => {
    const storage = memoryStorage()
    const made = await importDump(files({ 'extra.txt': 'x' }), { storage, changed })
    expect(made).toMatchObject({ known: false, taskId: 'T-12', createdAt: '2026-05-01T10:00:00.000Z' })
    expect(made.notes).toMatchObject([
      { code: 'file-left-out', message: 'extra.txt is no part of a halt dump, so it is left out' },
    ])
    const { haltId = '' } = made
    const dump = await loadDump(storage, haltId)
    expect((await verifyDump(dump)).findings).toEqual([])
    expect(dump.metadata).toMatchObject({
      ...{
        reason: 'VALIDATION_FAILED',
        iteration: 3,
        projectId: 'p1',
        stateKey: 'state:p1',
        agent: { mode: 'auto' },
        sandboxRoot: '/srv/sandbox',
      },
      details: { haltId: 'h-1', details: 'x' },
    })
    const text = (path: string) => Buffer.from(dump.parts.get(path) ?? []).toString()
    expect(text('agent/conversation.jsonl').split('\n')[0]).toBe(lines[0])
    expect(text('filesystem/file-snapshots/src/a.ts')).toBe('const a = 1\n')
    expect(JSON.parse(text('environment/env-vars.json')).variables).toEqual({
      FOO: '1',
      NODE_ENV: 'test',
    })
    for (const path of dump.parts.keys()) expect(text(path)).not.toContain(secret)
  })

  it('is imported once', async () => {
    const storage = memoryStorage()
    const first = await importDump(files(), { storage, changed })
    expect(await importDump(files(), { storage, changed })).toMatchObject({
      known: true,
      haltId: first.haltId,
    })
    expect(await importDump(files(), { storage: memoryStorage(), changed, dryRun: true })).not.toHaveProperty(
      'haltId',
    )
    expect(await listDumps(storage)).toHaveLength(1)
  })

  it('names the parts that cannot be read', async () => {
    const broken = files({ 'agent/tool-calls.json': '[', 'agent/conversation.jsonl': 'no json\n' })
    const made = await importDump(broken, { storage: memoryStorage(), changed })
    expect(made.notes[0]?.message).toBe('agent/tool-calls.json is not JSON, so it is left out')
  })
})
