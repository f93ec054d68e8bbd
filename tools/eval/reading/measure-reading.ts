import { type BundlePlan, type PlanOptions, prepareLog, TenfoldError } from '@tenfold/core'
import { planBundle } from '@tenfold/core/facts'
import { condenseTranscript, summaryBudget } from '@tenfold/core/internal'
import type { TranscriptItem } from '@tenfold/core/summarizer'
import type { Score } from '@tenfold/measure'
import { modelRequestFor } from '@tenfold/summarizers/model'
import type { NamedFile } from '../commands/check-commands.ts'
import type { LabelledLog } from '../gold/load-gold.ts'
import { measureUpdates, type UpdateResult } from './measure-updates.ts'
import { type EvidenceKind, evidenceKinds, readableEvidence } from './readable.ts'
import { sized } from './sized.ts'

/** What a model reads of one session, as shares of its source tokens. */
export interface ReadingResult {
  readonly name: string
  readonly sourceTokens: number
  /** Texts of the transcript, without the heads of its blocks. */
  readonly transcript: number
  /** Instructions, facts and transcript: all that is sent. */
  readonly prompt: number
  /** The prompts about what is new if the session was summarized before. */
  readonly updates: readonly UpdateResult[]
}

/** Whether the labels of a session can be found in the prompt that a model reads, and in the transcript that leaves out nothing. */
export interface EvidenceResult {
  readonly name: string
  readonly reading: ReadingResult
  readonly read: Readonly<Record<EvidenceKind, Score>>
  readonly whole: Readonly<Record<EvidenceKind, Score>>
}

/** Sessions with fewer tokens are read whole, or nearly so. */
const minSourceTokens = 4000

/** Measures how much a model reads of each log of at least 4,000 source tokens; other files are left out. */
export async function measureReading(
  files: readonly NamedFile[],
  options: PlanOptions,
  onProgress: (text: string) => void,
): Promise<ReadingResult[]> {
  const results: ReadingResult[] = []
  for (const [at, { name, path }] of files.entries()) {
    onProgress(`${at + 1} of ${files.length} ${name}`)
    try {
      const prepared = await prepareLog(path, options)
      if (prepared.plan.tokens.total < minSourceTokens) continue
      const updates = await measureUpdates(prepared, name, options)
      results.push({ ...readOf(prepared.plan, name).result, updates })
    } catch (error) {
      // Not every file of a folder of logs is one.
      if (!TenfoldError.isInstance(error)) throw error
    }
  }
  return results
}

/** What a model reads of a session: the shares, and all texts of its prompt that come from the log. */
function readOf(plan: BundlePlan, name: string): { result: Omit<ReadingResult, 'updates'>; text: string } {
  const { counter, facts, kind, tokens, budget } = plan
  const items = condenseTranscript(plan, plan.transcript, sized)
  const read = items.reduce((sum, { text }) => sum + counter.count(text), 0)
  const request = { kind, facts, items, sourceTokens: tokens.total, maxTokens: summaryBudget(budget) }
  const { inputTokens, messages } = modelRequestFor(request, { maxOutputTokens: 1, counter, tokenFactor: 1 })
  const text = messages.map((message) => message.text.replace(/^\| ?/gm, '')).join('\n')
  const result = {
    name,
    sourceTokens: tokens.total,
    transcript: read / tokens.total,
    prompt: inputTokens / tokens.total,
  }
  return { result, text }
}

/** Looks for the evidence of each label in the prompt that a model reads. */
export async function measureEvidence(
  labelled: readonly LabelledLog[],
  options: PlanOptions,
): Promise<EvidenceResult[]> {
  const results: EvidenceResult[] = []
  for (const { gold, path } of labelled) {
    const prepared = await prepareLog(path, options)
    const { plan, session, facts } = prepared
    const { result, text } = readOf(plan, gold.name)
    const updates = await measureUpdates(prepared, gold.name, options)
    const whole = planBundle(session, facts, { ...options, maxReadRatio: 1 }).transcript
    results.push({
      name: gold.name,
      reading: { ...result, updates },
      read: readableEvidence(text, gold),
      whole: readableEvidence(textOf(whole), gold),
    })
  }
  return results
}

function textOf(items: readonly TranscriptItem[]): string {
  return items.map(({ text }) => text).join('\n')
}

/** Adds up the labels of all sessions, for each kind and in all. */
export function totalEvidence(results: readonly EvidenceResult[]): {
  readonly kind: EvidenceKind | 'all'
  readonly of: number
  readonly read: number
  readonly whole: number
}[] {
  const totals = evidenceKinds.map((kind) => ({
    kind,
    of: sum(results.map(({ read }) => read[kind].of)),
    read: sum(results.map(({ read }) => read[kind].kept)),
    whole: sum(results.map(({ whole }) => whole[kind].kept)),
  }))
  const all = {
    kind: 'all' as const,
    of: sum(totals.map(({ of }) => of)),
    read: sum(totals.map(({ read }) => read)),
    whole: sum(totals.map(({ whole }) => whole)),
  }
  return [...totals, all]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
