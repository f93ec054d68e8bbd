import type { SummarizerCall, TokenUsage } from '@tenfold/core'
import { addUsage } from '@tenfold/core/internal'
import { callModel, type Model, type ModelReply, type ModelRequest } from '@tenfold/summarizers/model'
import { seededRandom } from '../random.ts'
import type { KeptResults } from './kept-results.ts'
import type { Probe, ProbeKind } from './probes.ts'
import { answerRequest, readAnswer, readVerdict, type Verdict, verdictRequest } from './requests.ts'

/** A model and the name that its results are kept under. */
export interface NamedModel {
  readonly name: string
  readonly call: Model
}

/** What one method made of one session. */
export interface JudgedDocument {
  readonly session: string
  readonly method: string
  readonly text: string
  readonly tokens: number
  readonly probes: readonly Probe[]
}

/** One answer and what each judge says of it. */
export interface JudgedAnswer {
  readonly session: string
  readonly method: string
  readonly kind: ProbeKind
  readonly question: string
  readonly answer: string
  readonly verdicts: readonly (Verdict & { readonly judge: string })[]
}

export interface JudgeOptions {
  readonly answerer: NamedModel
  readonly judges: readonly NamedModel[]
  readonly results: KeptResults
  readonly signal: AbortSignal
  /** Order of the questions. */
  readonly seed: number
  readonly onProgress: (done: number, of: number) => void
}

export interface Judged {
  readonly answers: readonly JudgedAnswer[]
  /** What all calls were billed, including those of earlier runs. */
  readonly usage: TokenUsage
}

/**
 * Has each document's questions answered and judged, one after the other in an order that the seed gives, so that a
 * judge cannot tell the methods apart by it. Every result is kept before the next call. Throws ModelError if a model
 * gives none.
 */
export async function runJudge(documents: readonly JudgedDocument[], options: JudgeOptions): Promise<Judged> {
  const { answerer, judges, results, seed, onProgress } = options
  const asked = shuffled(
    documents.flatMap((document) => document.probes.map((probe) => ({ document, probe }))),
    seed,
  )
  const answers: JudgedAnswer[] = []
  let usage: TokenUsage = {}
  for (const { document, probe } of asked) {
    const { session, method, text } = document
    const { kind, question, evidence } = probe
    const answer = await results.once('answers', { answerer: answerer.name, text, question }, () =>
      ask(answerer, answerRequest(text, probe), readAnswer, options),
    )
    usage = addUsage(usage, answer.usage)
    const verdicts: JudgedAnswer['verdicts'][number][] = []
    for (const judge of judges) {
      const inputs = { judge: judge.name, question, evidence, answer: answer.value }
      const verdict = await results.once('verdicts', inputs, () =>
        ask(judge, verdictRequest(probe, answer.value), readVerdict, options),
      )
      usage = addUsage(usage, verdict.usage)
      verdicts.push({ judge: judge.name, ...verdict.value })
    }
    answers.push({ session, method, kind, question, answer: answer.value, verdicts })
    onProgress(answers.length, asked.length)
  }
  return { answers, usage }
}

async function ask<T>(
  { name, call }: NamedModel,
  request: ModelRequest,
  read: (reply: ModelReply) => T,
  { signal }: JudgeOptions,
): Promise<{ value: T; usage: TokenUsage }> {
  const calls: SummarizerCall[] = []
  const value = await callModel(request, {
    call,
    summarizer: name,
    purpose: request.schemaName,
    control: { signal },
    calls,
    read,
  })
  return { value, usage: calls.reduce<TokenUsage>((sum, { usage }) => addUsage(sum, usage), {}) }
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seededRandom(seed)
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
