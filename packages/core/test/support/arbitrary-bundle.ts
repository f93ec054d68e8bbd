import fc from 'fast-check'
import { newBundleId } from '../../src/bundle/bundle-id.ts'
import { type BundleKind, sessionStates } from '../../src/bundle/bundle-names.ts'
import { compressionRatio } from '../../src/bundle/compression-schema.ts'
import type { ContextBundle } from '../../src/bundle/schema.ts'
import { cleanLine, cleanText } from '../../src/session/clean-text.ts'

// Texts that a careless format would read as its own marks.
const tricky = fc.constantFrom(
  ' | ',
  ' | why: x',
  '"quoted" | x: y',
  '[e1 e2]',
  'ends so [e12]',
  '[unverified]',
  '- e1 user: x',
  '## Trail',
  '---',
  '### main',
  '> quote',
  '\\# escaped',
  'a, b',
  'key: value',
  '#',
  '数据 🎉',
  '-> 12',
  'true',
  '12',
)

const words = fc.oneof(
  tricky,
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

export const line = fc
  .array(words, { minLength: 1, maxLength: 3 })
  .map((parts) => cleanLine(parts.join(' ')))
  .filter((value) => value !== '')

const text = fc
  .array(fc.oneof(words, fc.constant('')), { maxLength: 6 })
  .map((parts) => cleanText(parts.join('\n')).trim())
  .filter((value) => cleanText(value) === value)

const word = fc.stringMatching(/^[A-Za-z0-9_.-]{1,12}$/)
const eventId = fc.integer({ min: 1, max: 99_999 }).map((n) => `e${n}` as const)
const evidence = fc.array(eventId, { maxLength: 3 })
const count = fc.nat({ max: 1e9 })
const time = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })

function opt<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined })
}

/** Record without its undefined values, as the schema demands. */
function given<T extends object>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc
    .record(shape)
    .map((value) => Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T)
}

const unverified = opt(fc.constant(true as const))
const item = given({ text: line, evidence, unverified })
const items = fc.array(item, { maxLength: 3 })
const boxText = fc.constantFrom('[x] ', '[ ] ', '').chain((box) => line.map((text) => `${box}${text}`))
const step = given({ text: boxText, evidence, unverified, done: opt(fc.constant(true as const)) })
const boxItems = fc.array(given({ text: boxText, evidence, unverified }), { maxLength: 3 })
const carried = given({
  as: fc.constantFrom('constraint' as const, 'rule' as const, 'decision' as const, 'step' as const),
  text: line,
  command: opt(line),
  from: fc.constantFrom('20260101T000000000Z-000000001', '20260102T000000000Z-000000002'),
})
const usage = given({
  inputTokens: opt(count),
  outputTokens: opt(count),
  cacheReadTokens: opt(count),
  cacheWriteTokens: opt(count),
  reasoningTokens: opt(count),
})

const sectionsOf = (kind: BundleKind) =>
  given({
    plan:
      kind === 'plan'
        ? given({ approach: text, steps: fc.array(step, { maxLength: 3 }), risks: items })
        : fc.constant(undefined),
    progress:
      kind === 'progress'
        ? given({
            ...{ currentState: text, completed: boxItems, inProgress: boxItems, remaining: boxItems },
            steps: opt(given({ done: count, total: count })),
          })
        : fc.constant(undefined),
    research: kind === 'research' ? given({ decision: text }) : fc.constant(undefined),
  })

/** Any valid bundle. */
export const arbitraryBundle = fc
  .constantFrom<BundleKind>('research', 'plan', 'progress', 'context')
  .chain((kind) =>
    fc.tuple(
      sectionsOf(kind),
      time,
      given({
        schemaVersion: fc.constant(1 as const),
        kind: fc.constant(kind),
        track: fc.constantFrom('main', 'track-2', 'Feature_x.1'),
        task: opt(line),
        source: given({
          format: line,
          agentVersion: opt(line),
          sessionId: line,
          title: opt(line),
          startedAt: opt(time.map((date) => date.toISOString())),
          endedAt: opt(time.map((date) => date.toISOString())),
          cwd: opt(line),
          models: fc.array(line, { maxLength: 3 }),
          files: count,
          bytes: count,
          sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
          events: count,
          eventsDigest: opt(fc.stringMatching(/^[0-9a-f]{16}$/)),
          archived: fc.boolean(),
        }),
        state: opt(fc.constantFrom(...sessionStates)),
        summary: text,
        workflow: given({
          phase: opt(line),
          currentTask: opt(line),
          tasksCompleted: items,
          tasksRemaining: items,
          blockers: items,
        }),
        carried: opt(fc.array(carried, { minLength: 1, maxLength: 4 })),
        findings: items,
        decisions: fc.array(
          given({
            topic: opt(line),
            choice: line,
            rationale: opt(line),
            alternatives: fc.array(line, { maxLength: 2 }),
            by: fc.constantFrom('user' as const, 'agent' as const),
            at: opt(time.map((date) => date.toISOString())),
            evidence,
            unverified,
          }),
          { maxLength: 3 },
        ),
        openQuestions: items,
        nextSteps: fc.array(given({ action: line, command: opt(line), evidence, unverified }), {
          maxLength: 3,
        }),
        resumeInstructions: text,
        constraints: items,
        files: fc.array(
          given({
            path: line,
            status: fc.constantFrom(
              'created' as const,
              'modified' as const,
              'deleted' as const,
              'renamed' as const,
              'read' as const,
            ),
            from: opt(line),
            added: opt(count),
            removed: opt(count),
            reason: opt(line),
            sections: opt(fc.array(line, { minLength: 1, maxLength: 2 })),
            defines: opt(fc.array(fc.stringMatching(/^[\w$|"\]]{1,8}$/), { minLength: 1, maxLength: 3 })),
            evidence,
          }),
          { maxLength: 4 },
        ),
        projectRules: fc.array(given({ text: line, source: line, evidence }), { maxLength: 3 }),
        commands: fc.array(
          given({
            command: line,
            status: fc.constantFrom(
              'ok' as const,
              'error' as const,
              'denied' as const,
              'cancelled' as const,
              'unknown' as const,
            ),
            exitCode: opt(fc.integer({ min: -255, max: 255 })),
            evidence,
          }),
          { maxLength: 3 },
        ),
        errors: fc.array(given({ message: line, resolution: opt(line), evidence }), { maxLength: 3 }),
        validation: opt(
          given({
            status: fc.constantFrom('green' as const, 'failed' as const, 'pending' as const),
            command: opt(line),
            evidence,
          }),
        ),
        git: given({
          branch: opt(line),
          head: opt(line),
          dirty: opt(fc.boolean()),
          commits: fc.array(given({ sha: line, subject: opt(line), folder: opt(line), evidence }), {
            maxLength: 2,
          }),
        }),
        identifiers: fc.array(line, { maxLength: 5 }),
        usage: fc.record({
          total: usage,
          byAgent: fc.array(
            fc.tuple(line, usage).map(([agent, tokens]) => ({ agent, ...tokens })),
            { maxLength: 2 },
          ),
          byModel: fc.array(
            fc.tuple(line, usage).map(([model, tokens]) => ({ model, ...tokens })),
            { maxLength: 2 },
          ),
        }),
        trail: fc.array(
          given({
            event: eventId,
            until: opt(eventId),
            agent: fc.constantFrom('main', 'main', 'sub1', 'a77#5'),
            label: fc.constantFrom('user', 'assistant', 'Bash', 'mcp__x__y', '|'),
            text,
          }),
          { maxLength: 6 },
        ),
        compression: given({
          counter: word,
          sourceTokens: count,
          bundleTokens: count,
          ratio: fc.constant(0),
          band: fc.constantFrom('within' as const, 'below' as const, 'small' as const, 'verbatim' as const),
          summarizer: line,
          model: opt(line),
          promptVersion: opt(line),
          readTokens: count,
          unverified: count,
          calls: fc.array(
            given({
              summarizer: line,
              model: opt(line),
              purpose: opt(line),
              tier: opt(fc.constant('batch' as const)),
              requestId: opt(line),
              stop: opt(line),
              durationMs: opt(count),
              error: opt(line),
              usage,
            }),
            { maxLength: 2 },
          ),
          usage: opt(usage),
          cost: opt(
            given({
              amount: fc.double({ min: 0, max: 1000, noNaN: true }).map((n) => n + 0),
              currency: fc.constantFrom('USD', 'EUR'),
              pricesOf: fc.constantFrom('2026-11-20', '2027-01-01'),
              atLeast: opt(fc.constant(true as const)),
            }),
          ),
          fallback: opt(line),
        }),
        notes: fc.array(
          given({
            code: fc.constantFrom('bad-line', 'left-out'),
            message: line,
            file: opt(line),
            line: opt(count),
            count: opt(count),
          }),
          { maxLength: 2 },
        ),
      }),
    ),
  )
  .map(([sections, date, rest]) => {
    const bundle = {
      id: newBundleId(date),
      createdAt: date.toISOString(),
      ...rest,
      ...sections,
    } as ContextBundle
    return { ...bundle, compression: { ...bundle.compression, ratio: compressionRatio(bundle.compression) } }
  })
