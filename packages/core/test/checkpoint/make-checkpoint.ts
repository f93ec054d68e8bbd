import { createdAtOf, newBundleId } from '../../src/bundle/bundle-id.ts'
import { type Checkpoint, parseCheckpoint } from '../../src/checkpoint/schema.ts'

let minutes = 0

/** A valid checkpoint on track `main`, each one a minute after the one before. */
export function makeCheckpoint(overrides: Partial<Checkpoint> = {}): Checkpoint {
  minutes += 1
  const id = overrides.id ?? newBundleId(new Date(Date.UTC(2026, 2, 4, 6, minutes)))
  return parseCheckpoint({
    schemaVersion: 1,
    id,
    track: 'main',
    createdAt: createdAtOf(id),
    step: 'wire the parser',
    note: '',
    nextCommand: 'npm test',
    validation: 'pending',
    extra: {},
    files: [],
    ...overrides,
  })
}
