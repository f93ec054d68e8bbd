import { createdAtOf, newBundleId } from '../bundle/bundle-id.ts'
import { compressionRatio } from '../bundle/compression-schema.ts'
import { parseBundle } from '../bundle/parse-bundle.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { withEmptySections } from '../bundle/section-contents.ts'
import { kindOf } from '../bundle/sections.ts'

let ids = 0

/** Returns a new id, later than all others of the same time. */
export function nextId(time: Date): string {
  ids += 1
  return newBundleId(time, () => (ids + 0.5) / 1e9)
}

/**
 * Returns a small valid bundle of kind `context` on track `main`, with a new id. A given `id` sets `createdAt` and a
 * given `kind` adds the empty sections of that kind; `overrides` replace whole fields. Throws {@link
 * InvalidBundleError} for invalid overrides.
 */
export function sampleBundle(overrides: Partial<ContextBundle> = {}): ContextBundle {
  const id = overrides.id ?? nextId(new Date(overrides.createdAt ?? '2026-03-04T05:06:07.089Z'))
  const tokens = { sourceTokens: 10_000, bundleTokens: 800 }
  const { kind = 'context' } = overrides
  const bundle = {
    schemaVersion: 1,
    id,
    kind: 'context',
    track: 'main',
    createdAt: createdAtOf(id),
    source: {
      format: 'claude-code',
      sessionId: 'session-1',
      title: 'Fix the parser',
      cwd: '/home/dev/project',
      models: ['model-1'],
      files: 1,
      bytes: 40_000,
      sha256: 'a'.repeat(64),
      events: 12,
      archived: false,
    },
    summary: 'The parser dropped the last line; it is fixed and tested.',
    workflow: { tasksCompleted: [], tasksRemaining: [], blockers: [] },
    findings: [{ text: 'The last line had no newline', evidence: ['e3'] }],
    decisions: [],
    constraints: [{ text: 'Do not touch the public API', evidence: ['e1'] }],
    openQuestions: [],
    nextSteps: [{ action: 'Run the whole suite', command: 'npm test', evidence: ['e9'] }],
    resumeInstructions: 'Begin with the suite.',
    files: [{ path: 'src/parse.ts', status: 'modified', added: 4, removed: 1, evidence: ['e5'] }],
    commands: [{ command: 'npm test', status: 'ok', exitCode: 0, evidence: ['e7'] }],
    errors: [],
    git: { branch: 'main', commits: [] },
    identifiers: ['parseLine'],
    usage: { total: { inputTokens: 100, outputTokens: 20 }, byAgent: [], byModel: [] },
    trail: [
      { event: 'e1', agent: 'main', label: 'user', text: 'Fix the parser. Do not touch the public API' },
    ],
    compression: {
      counter: 'o200k_base',
      ...tokens,
      ratio: compressionRatio(tokens),
      band: 'within',
      summarizer: 'extractive',
      readTokens: 10_000,
      unverified: 0,
      calls: [],
    },
    notes: [],
    ...overrides,
  }
  return parseBundle(withEmptySections(bundle, (section) => kindOf(section) === kind))
}
