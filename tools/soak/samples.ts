import { createHash } from 'node:crypto'
import type { Checkpoint, ContextBundle, Session } from '@tenfold/core'
import { newBundleId } from '@tenfold/core/internal'
import type { ArchivableLog } from '@tenfold/core/store'
import { sampleBundle } from '@tenfold/core/testing'

/** Bundle number `n` of a track, with an id of its own. */
export function bundleNumber(n: number, track = 'main'): ContextBundle {
  return sampleBundle({ ...idAndTime(n), track, summary: `Step ${n} of track ${track} is done.` })
}

/** Checkpoint number `n` of a track. */
export function checkpointNumber(n: number, track = 'main'): Checkpoint {
  return {
    schemaVersion: 1,
    ...idAndTime(n),
    track,
    step: `Step ${n}`,
    note: `Where track ${track} stands after ${n}.`,
    validation: 'pending',
    extra: {},
    files: [],
  }
}

function idAndTime(n: number): { id: string; createdAt: string } {
  const createdAt = new Date(Date.UTC(2026, 2, 4, 5, 6, 7) + n).toISOString()
  const suffix = String(n).padStart(9, '0')
  return { id: `${createdAt.replace(/[-:.]/g, '')}-${suffix}`, createdAt }
}

/** A log of one file in memory. */
export function sampleLog(content: string): { log: ArchivableLog; source: Session['source'] } {
  const bytes = new TextEncoder().encode(content)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const blocks = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  const name = 'session.jsonl'
  const files = [{ name, bytes: bytes.byteLength, sha256, lines: 1 }]
  return {
    log: { files: [{ name, blocks }] },
    source: {
      files,
      bytes: bytes.byteLength,
      sha256,
      images: 0,
      account: { lines: 1, events: 1, other: 0, notes: 0, blank: 0, absorbed: [] },
    },
  }
}

/** Gives a bundle or checkpoint a time, and an id that no other process gives. */
export function asOf<T extends { readonly id: string; readonly createdAt: string }>(value: T, time: Date): T {
  return { ...value, id: newBundleId(time), createdAt: time.toISOString() }
}
