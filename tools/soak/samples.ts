import { createHash } from 'node:crypto'
import {
  type ArchivableLog,
  type Checkpoint,
  type ContextBundle,
  newBundleId,
  type Session,
} from '@tenfold/core'

const bundleTemplate: ContextBundle = {
  schemaVersion: 1,
  id: '20260304T050607089Z-template',
  kind: 'context',
  track: 'main',
  createdAt: '2026-03-04T05:06:07.089Z',
  source: {
    format: 'claude-code',
    sessionId: 'session-1',
    models: [],
    files: 1,
    bytes: 40_000,
    sha256: 'a'.repeat(64),
    events: 12,
    archived: false,
  },
  summary: 'The parser dropped the last line; it is fixed and tested.',
  workflow: { tasksCompleted: [], tasksRemaining: [], blockers: [] },
  findings: [],
  decisions: [],
  constraints: [],
  openQuestions: [],
  nextSteps: [{ action: 'Run the whole suite', command: 'npm test', evidence: ['e9'] }],
  resumeInstructions: '',
  files: [],
  commands: [],
  errors: [],
  git: { commits: [] },
  identifiers: [],
  usage: { total: {}, byAgent: [], byModel: [] },
  trail: [{ event: 'e1', agent: 'main', label: 'user', text: 'Fix the parser' }],
  compression: {
    counter: 'o200k_base',
    sourceTokens: 10_000,
    bundleTokens: 800,
    ratio: 0.08,
    band: 'within',
    summarizer: 'extractive',
    readTokens: 10_000,
    unverified: 0,
    calls: [],
  },
  notes: [],
}

/** Bundle number `n` of a track, with an id of its own. */
export function sampleBundle(n: number, track = 'main'): ContextBundle {
  return { ...bundleTemplate, ...idAndTime(n), track, summary: `Step ${n} of track ${track} is done.` }
}

/** Checkpoint number `n` of a track. */
export function sampleCheckpoint(n: number, track = 'main'): Checkpoint {
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

/** Gives a bundle or checkpoint the present time, and an id that no other process gives. */
export function asOfNow<T extends { readonly id: string; readonly createdAt: string }>(value: T): T {
  const now = new Date()
  return { ...value, id: newBundleId(now), createdAt: now.toISOString() }
}
