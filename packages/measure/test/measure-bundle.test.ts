import { type ContextBundle, compressLog, readSession, redactSession, secretRedactor } from '@tenfold/core'
import type { EventId } from '@tenfold/core/readers'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { beforeAll, describe, expect, it } from 'vitest'
import { type BundleMeasure, meanShare, measureBundle, retentionClasses } from '../src/measure-bundle.ts'
import { precisionClasses } from '../src/precision.ts'
import { hasQuote } from '../src/quote.ts'
import { shareOf } from '../src/score.ts'

const log = new URL('../../../examples/logs/claude-code-rate-limiter.jsonl', import.meta.url).pathname
let bundle: ContextBundle
let session: Parameters<typeof measureBundle>[0]
let measure: BundleMeasure

beforeAll(async () => {
  const made = await compressLog(log, { summarizer: extractiveSummarizer() })
  bundle = made.bundle
  session = made.session
  measure = await measureBundle(session, bundle)
})

const changed = (change: Partial<ContextBundle>): Promise<BundleMeasure> =>
  measureBundle(session, { ...bundle, ...change })

describe('measureBundle', () => {
  it('finds facts of every kind in a long session, and a good bundle to keep most of them', () => {
    for (const name of retentionClasses) expect([name, measure.retention[name].of]).not.toEqual([name, 0])
    expect(meanShare(measure.retention)).toBeGreaterThan(0.9)
    expect(measure.faithfulness.of).toBeGreaterThan(50)
    expect(shareOf(measure.faithfulness)).toBe(1)
  })

  it('bears out every statement of a bundle made from the log', () => {
    // Nothing was carried over: the session is the first of its project.
    for (const name of precisionClasses.filter((each) => each !== 'carried')) {
      expect([name, measure.precision[name].missed]).toEqual([name, []])
      expect([name, measure.precision[name].of]).not.toEqual([name, 0])
    }
  })

  it('gives the same result for the session read and redacted again', async () => {
    const again = redactSession(await readSession(log), [secretRedactor()])
    expect(await measureBundle(again, bundle)).toEqual(measure)
  })

  it('falls with what is left out', async () => {
    expect(shareOf((await changed({ files: [], trail: [] })).retention.fileActions)).toBeLessThan(0.7)
    expect(shareOf((await changed({ commands: [], trail: [] })).retention.commandOutcomes)).toBeLessThan(0.9)
    expect((await changed({ files: [], commands: [] })).precision.files).toEqual({
      kept: 0,
      of: 0,
      missed: [],
    })
  })

  it('notices statements that the log does not bear out', async () => {
    const [file, ...files] = bundle.files
    const [command, ...commands] = bundle.commands
    const [constraint] = bundle.constraints
    if (file === undefined || command === undefined || constraint === undefined)
      throw new Error('expected some')
    const wrong = (
      await changed({
        files: [{ ...file, path: 'src/never-there.ts' }, ...files],
        commands: [{ ...command, command: 'npm run never' }, ...commands],
        errors: [{ message: 'Error: never printed', evidence: ['e99999'] }],
        constraints: [{ ...constraint, text: 'never say what nobody said' }],
        projectRules: [{ text: 'Never ship what nobody read', source: 'CLAUDE.md', evidence: ['e1'] }],
        nextSteps: [{ action: 'Do it', command: 'rm -rf never', evidence: [] }],
      })
    ).precision
    expect(wrong.projectRules.missed).toEqual(['Never ship what nobody read'])
    expect(wrong.files.missed).toEqual([`src/never-there.ts: ${file.status}`])
    expect(wrong.commands.missed).toEqual([`npm run never: ${command.status}`])
    expect(wrong.errors.missed).toEqual(['Error: never printed'])
    expect(wrong.constraints.missed).toEqual(['never say what nobody said'])
    expect(wrong.nextCommands.missed).toEqual(['rm -rf never'])
    expect(wrong.evidence.missed).toEqual(['e99999'])
  })

  it('looks for what was carried over in the bundle that it names, if that is given', async () => {
    const from = bundle.id
    const [step] = bundle.nextSteps
    if (step === undefined) throw new Error('expected a step')
    const carried = [
      { as: 'step' as const, text: step.action, from },
      { as: 'decision' as const, text: 'pace: use the token bucket that nobody chose', from },
      { as: 'rule' as const, text: 'never seen', from: '20250101T000000000Z-000000001' },
    ]
    const later = { ...bundle, id: '20270101T000000000Z-000000001', carried }
    expect((await measureBundle(session, later, { earlier: [bundle] })).precision.carried).toEqual({
      kept: 1,
      of: 2,
      missed: ['pace: use the token bucket that nobody chose'],
    })
    expect((await measureBundle(session, later)).precision.carried.of).toBe(0)
  })

  it('has a project rule only from events that no agent wrote', async () => {
    const said = session.events.find((event) => event.type === 'assistant' && event.text.length > 40)
    const read = session.events.find((event) => event.type === 'tool_result' && event.text.includes('\n'))
    if (said?.type !== 'assistant' || read?.type !== 'tool_result') throw new Error('expected some')
    const rule = (text: string, id: EventId) => ({
      text: text.slice(0, 30),
      source: 'CLAUDE.md',
      evidence: [id],
    })
    const of = async (...projectRules: ContextBundle['projectRules']) =>
      (await changed({ projectRules })).precision.projectRules
    expect((await of(rule(said.text, said.id))).kept).toBe(0)
    expect((await of(rule(read.text, read.id))).kept).toBe(1)
    expect((await of(rule(read.text, said.id))).kept).toBe(0)
  })

  it('notices a wrong outcome, and a deleted file that is stated as there', async () => {
    const passed = bundle.commands.find(({ status, exitCode }) => status === 'ok' && exitCode !== 1)
    if (passed === undefined) throw new Error('expected one')
    const { files, commands } = (
      await changed({
        files: [{ path: 'src/limits/kv-limiter.ts', status: 'created', evidence: ['e44'] }],
        commands: [{ command: passed.command, status: 'denied', evidence: [] }],
      })
    ).precision
    expect([files.kept, commands.kept]).toEqual([0, 0])
  })
})

describe('a quote', () => {
  it('occurs with its parts in order, across gaps and marks', () => {
    const text = 'never change the public API of the store, three services need it'
    expect(hasQuote(text, 'never change … of the store')).toBe(true)
    expect(hasQuote(text, 'never […12] the store')).toBe(true)
    expect(hasQuote(text, 'never change [redacted:token] public')).toBe(true)
    expect(hasQuote(text, 'of the store … never change')).toBe(false)
    expect(hasQuote(text, '…')).toBe(false)
  })
})
