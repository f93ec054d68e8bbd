import { describe, expect, it } from 'vitest'
import { completeCheckpoint } from '../../src/import/foreign-checkpoint.ts'
import { recognizeFile } from '../../src/import/recognize.ts'
import { makeCheckpoint } from '../checkpoint/make-checkpoint.ts'

const name = 'runtime/checkpoints/context_checkpoint_20260412T101530Z_verifier-fix.json'
const snapshot = {
  track: 'MIXED_RETRIEVAL',
  step: 'verifier schedule fix landed',
  note: 'proof green',
  next_cmd: 'pytest -q',
  validation: 'green',
  branch: 'main',
  head: 'fa124d5',
  extra: { Artifact: '/var/tmp/x.json', 'a b': 1, nested: { deep: true } },
}
const changed = new Date('2026-01-01T00:00:00Z')

function checkpointOf(file: string, text: string) {
  const recognized = recognizeFile(file, text)
  if (recognized?.type !== 'checkpoint') throw new Error(`expected a checkpoint, got ${recognized?.type}`)
  return recognized.checkpoint
}

describe('a checkpoint of another tool', () => {
  it('is completed, with time and label of its file name', () => {
    const foreign = checkpointOf(name, JSON.stringify(snapshot))
    const made = completeCheckpoint(foreign, { changed })
    expect(made).toMatchObject({
      ...{ track: 'MIXED_RETRIEVAL', createdAt: '2026-04-12T10:15:30.000Z', label: 'verifier-fix' },
      ...{ step: snapshot.step, note: 'proof green', nextCommand: 'pytest -q', validation: 'green' },
      git: { branch: 'main', head: 'fa124d5' },
      extra: { Artifact: '/var/tmp/x.json', a_b: 1, nested: '{"deep":true}' },
    })
    expect(completeCheckpoint(foreign, { changed }).id).toBe(made.id)
    expect(completeCheckpoint({ ...foreign, step: 'other' }, { changed }).id).not.toBe(made.id)
  })

  it('puts content without a field into the note', () => {
    const more = {
      ...snapshot,
      next_cmd: 'make\nmake test',
      validation: 'purple',
      head: 'HEAD',
      mood: 'good',
    }
    const made = completeCheckpoint(checkpointOf('a.json', JSON.stringify(more)), { changed, track: 'other' })
    expect(made.note).toBe(
      'proof green\nnext_cmd:\nmake\nmake test\nvalidation: purple\nhead: HEAD\nmood: good',
    )
    expect(made).toMatchObject({ track: 'other', createdAt: changed.toISOString(), validation: 'pending' })
    expect(made).not.toHaveProperty('nextCommand')
  })

  it.each(['step', 'note', 'next_cmd', 'validation', 'label', 'task', 'branch', 'mood'])(
    'keeps no secret of its %s',
    (field) => {
      const secret = `ghp_${'aB3dE5gH7j'.repeat(4).slice(0, 36)}`
      const foreign = checkpointOf('a.json', JSON.stringify({ ...snapshot, [field]: `push ${secret}` }))
      expect(JSON.stringify(foreign)).toContain(secret)
      expect(JSON.stringify(completeCheckpoint(foreign, { changed }))).not.toContain(secret)
    },
  )

  it('is read from Markdown alone', () => {
    const text =
      '# Checkpoint\n\n- **step**: the fix landed\n- track: A\n- next_cmd: `pytest -q`\n- note = proof: green\n'
    expect(checkpointOf('context_checkpoint_2026-04-12_10-15-30_x.md', text)).toMatchObject({
      ...{ step: 'the fix landed', track: 'A', nextCommand: 'pytest -q', note: 'proof: green', label: 'x' },
      createdAt: '2026-04-12T10:15:30.000Z',
    })
  })

  it('is found in LATEST, by track', () => {
    const latest = { current_track: 'A', tracks: { A: { step: 'one', next_cmd: 'x' }, B: { step: 'two' } } }
    expect(recognizeFile('LATEST.json', JSON.stringify(latest))).toMatchObject({
      type: 'pointer',
      pointer: {
        current: 'A',
        checkpoints: [
          { track: 'A', step: 'one' },
          { track: 'B', step: 'two' },
        ],
      },
    })
  })

  it('differs from one of our own, and from its entry', () => {
    const own = makeCheckpoint()
    expect(recognizeFile('a.json', JSON.stringify(own))).toEqual({ type: 'own-checkpoint', checkpoint: own })
    const entry = { ...own, key: 'k', sha256: 's', size: 1 }
    expect(recognizeFile('a.json', JSON.stringify(entry))).toBeUndefined()
    expect(() => recognizeFile('a.json', JSON.stringify({ ...own, step: '' }))).toThrow('step')
  })
})
