import type { Facts } from '../../facts/facts.ts'
import { eventIndex } from '../../session/event.ts'
import type { BundlePlan } from '../plan-bundle.ts'
import type { TranscriptItem } from '../transcript-item.ts'
import { cutTexts, type Room } from './cut-texts.ts'
import { type EventTexts, eventTextReader } from './event-texts.ts'

/** Tokens of an item's head in a prompt, and of the bar before each line, as a share of the text. */
const headTokens = 10
const barShare = 0.07

/** Minimum source tokens that are read: a share of a few events would show nothing. */
const leastRead = 1500

export interface CondenseOptions {
  /**
   * Returns the tokens of a request without its transcript: instructions and facts. They count towards the share that
   * is read, and the whole request stays below the source tokens if possible.
   * @default 0
   */
  promptTokens?(facts: Facts, sourceTokens: number): number
  /**
   * True if the items are only the new part of a session: with the earlier summary, a request may then take up to twice
   * their source tokens.
   * @default false
   */
  readonly updates?: boolean | undefined
}

/**
 * Shortens the transcript of a plan to the share of the source tokens that a model is to read (`maxReadRatio`), by
 * importance: words of the user and the last answer stay whole; repeated texts, listings, logs and other repetitive
 * output appear once and short; edits become small diffs. Returns one item for each of `items`, which are all or some
 * of the plan's transcript. A session smaller than the instructions is read whole.
 */
export function condenseTranscript(
  plan: BundlePlan,
  items: readonly TranscriptItem[] = plan.transcript,
  options: CondenseOptions = {},
): readonly TranscriptItem[] {
  const { budget, counter } = plan
  if (budget.readRatio >= 1 || (options.updates !== true && exceedsSource(plan, options))) return items
  const wanted = new Set(items.map(({ event }) => event))
  const textsOf = eventTextReader(plan)
  const idle = idleThoughts(items)
  const reads: (EventTexts & { readonly position: number })[] = []
  for (const excerpt of plan.excerpts) {
    if (!wanted.has(excerpt.event)) continue
    const { texts, events } = textsOf(excerpt)
    reads.push({ texts: idle.has(reads.length) ? [] : texts, events, position: excerpt.position })
  }
  const whole = reads.flatMap(({ position, texts }) =>
    texts.map((text) => ({ ...text, position, tokens: counter.count(text.text) })),
  )
  const cuts = cutTexts(whole, roomFor(reads, plan, options), plan)
  let at = 0
  const shown = reads.map(({ texts }) => {
    const from = at
    at += texts.length
    return cuts
      .slice(from, at)
      .filter((text) => text !== '')
      .join('\n')
  })
  return items.map((item, index) => {
    const results = (reads[index]?.events ?? []).filter((event) => event !== item.event)
    return {
      ...item,
      text: shown[index] ?? '',
      ...(isQueued(plan, item) && { queued: true as const }),
      ...(results.length > 0 && { results }),
    }
  })
}

/**
 * Whether a request would take more tokens than the session even with the smallest transcript. It then saves no
 * reading, and may as well show everything.
 */
export function exceedsSource(
  { facts, tokens: { total } }: Pick<BundlePlan, 'facts' | 'tokens'>,
  { promptTokens }: Pick<CondenseOptions, 'promptTokens'>,
): boolean {
  return promptTokens !== undefined && promptTokens(facts, total) + total * leastShare > total
}

function isQueued({ session }: BundlePlan, { event }: TranscriptItem): boolean {
  const said = session.events[eventIndex(event)]
  return said?.type === 'user' && said.origin === 'queued'
}

/** Returns the tokens that the texts of the items should take, and may take at most. */
function roomFor(
  reads: readonly EventTexts[],
  { tokens, budget, facts }: BundlePlan,
  options: CondenseOptions,
): Room {
  const source = reads
    .flatMap(({ events }) => events)
    .reduce((sum, event) => sum + (tokens.byEvent[eventIndex(event)] ?? 0), 0)
  const besides = options.promptTokens?.(facts, source) ?? 0
  const blocks = reads.filter(({ texts }) => texts.length > 0).length
  const textsIn = (all: number) => (all - blocks * headTokens) / (1 + barShare)
  const left = Math.max(source * leastShare, source * (options.updates === true ? mostOfNew : 1) - besides)
  const room = Math.max(source * budget.readRatio - besides, Math.min(left * leastOfRest, leastRead))
  return { room: textsIn(Math.max(room, source * leastShare)), most: textsIn(left) }
}

/** Minimum share of the source that is read, however much else a request contains. */
const leastShare = 0.24

/** For a small session, the share to read of what the instructions leave. */
const leastOfRest = 0.9

/** Maximum tokens of a request, without the earlier summary, relative to the new part of a session. */
const mostOfNew = 1.5

/**
 * A thought counts if it names a failure or a rejected option. Without this, a model no longer reads two labelled
 * decisions of a session with long runs of thoughts (`npm run eval -- --reading`).
 */
const names =
  /\b(?:errors?|fail(?:s|ed|ing|ure)?|exception|broken|instead of|rather than|reject(?:s|ed)?|(?:won't|doesn't|didn't|not) work|not an option|decid(?:e|ed)|decision)\b/i

/** Shorter runs are read whole. */
const minRun = 3

/**
 * Positions of thoughts inside a run of thoughts that name neither a failure nor a rejected option. The first and the
 * last one of a run are read, as its reason and its result.
 */
function idleThoughts(items: readonly TranscriptItem[]): Set<number> {
  const idle = new Set<number>()
  let start = 0
  for (let end = 1; end <= items.length; end++) {
    const first = items[start]
    const next = items[end]
    if (first?.type === 'reasoning' && next?.type === 'reasoning' && next.agent === first.agent) continue
    if (first?.type === 'reasoning' && end - start >= minRun)
      for (let at = start + 1; at < end - 1; at++) if (!names.test(items[at]?.text ?? '')) idle.add(at)
    start = end
  }
  return idle
}
