import {
  askingPart,
  cleanLine,
  cleanText,
  eventIndex,
  onlyGoesOn,
  pausing,
  type Steps,
  withShortNames,
} from '@tenfold/core/internal/summarizer'
import type {
  Facts,
  SessionSummary,
  Summarizer,
  SummaryRequest,
  TranscriptItem,
} from '@tenfold/core/summarizer'
import { admissionsOf } from './admissions.ts'
import { decisionsOf } from './decisions.ts'
import { done, published, uncommitted } from './done.ts'
import { findingsOf, openQuestionsOf } from './findings.ts'
import { lastWords, planSection, progressSection, researchDecision, tasksWith } from './kind-sections.ts'
import { nextStepsOf } from './next-steps.ts'
import { agrees, requestAtHand, withPlan } from './request-at-hand.ts'
import { answered } from './resume-point.ts'
import {
  answerOpening,
  clip,
  opening,
  type ReadSentences,
  rememberedSentences,
  type Sentence,
} from './sentences.ts'
import { tasksAtHand, tasksOfTurn } from './tasks-at-hand.ts'

const promptVersion = '1'

/**
 * The offline summarizer: deterministic, no model, no network. It picks sentences of the session by structure and by
 * cue words, each with its event, and puts into its own words only what the facts say.
 */
export function extractiveSummarizer(): Summarizer {
  return {
    name: 'extractive',
    promptVersion,
    readsWhole: true,
    // Bundlers that make CommonJS leave it undefined; such a program has no files to start threads from.
    ...(import.meta.url && {
      recipe: { module: new URL('extractive.js', import.meta.url).href, name: 'extractiveSummarizer' },
    }),
    async summarize(request, { signal }) {
      // The sections of a large log take tens of milliseconds each.
      return { summary: await pausing(summarySteps(request), signal), calls: [], promptVersion }
    },
  }
}

function* summarySteps({ kind, items, facts, maxTokens }: SummaryRequest): Steps<SessionSummary> {
  const read = rememberedSentences()
  const blockers = yield* admissionsOf(items, facts.commands, read)
  const { because, evidence = [], words } = facts.state ?? {}
  if (because === 'open-call')
    blockers.push({ text: `No result in the log: ${words}`, evidence: [...evidence] })
  const nextSteps = nextStepsOf(items, facts, blockers)
  yield
  const decisions = yield* decisionsOf(items, facts, maxTokens * decisionShare, read)
  const findings = yield* findingsOf(items, facts, read)
  const reasons = yield* fileReasons(items, facts, read)
  const current = currentTask(items, facts)
  const { phase } = facts
  return {
    overview: yield* overviewOf(items, facts, maxTokens),
    workflow: {
      phase,
      ...(current === '' ? {} : { currentTask: current }),
      tasksCompleted: tasksWith(facts.tasks, ['completed']),
      tasksRemaining: tasksWith(tasksAtHand(items, facts), ['in_progress', 'pending']),
      blockers,
    },
    findings,
    decisions,
    constraints: [],
    openQuestions: openQuestionsOf(facts),
    nextSteps,
    resumeInstructions: resumeInstructions(facts, nextSteps.length === 0 && answered(items, facts)),
    fileReasons: reasons,
    ...(kind === 'plan' ? { plan: yield* planSection(items, facts, read) } : {}),
    ...(kind === 'progress' ? { progress: progressSection(items, facts) } : {}),
    ...(kind === 'research' ? { research: { decision: researchDecision(decisions, items) } } : {}),
  }
}

/** Share of the summary that its decisions may take. */
const decisionShare = 0.4

/** Sums up what was asked, what was done, and the result. */
function* overviewOf(items: readonly TranscriptItem[], facts: Facts, maxTokens: number): Steps<string> {
  const length = (most: number) => Math.min(most, Math.max(140, Math.floor(maxTokens / 5)))
  const asked = yield* requests(items)
  const [first] = asked
  const last = items.find(({ event }) => event === facts.state?.request) ?? asked.at(-1)
  const answer = lastWords(items, facts)
  const { answer: answered, state, because = '' } = facts.state ?? {}
  // The work was not cut off before or after it.
  const isOutcome = answered !== undefined && /finished|waiting|gave-up/.test(`${state} ${because}`)
  const others = asked.slice(1).filter(({ event }) => event !== last?.event)
  const most = Math.min(maxRequests, Math.max(minRequests, Math.floor(maxTokens / tokensOfRequest)))
  // Half of them the newest, the others spread over those before.
  const every = Math.ceil((2 * others.length) / most)
  const middle = others.filter((_, at) => others.length - at <= most / 2 || at % every === 0)
  const start = items.find(({ agent, type }) => agent === 'main' && type !== 'context')
  // Many requests say themselves what the work is about.
  const before = asked.length < 3 && start?.type === 'compaction' ? start : undefined
  const lines = [
    before && `Before (${before.event}): ${opening(before.text, length(300))}`,
    first && `Asked (${first.event}): ${withShortNames(opening(first.text, length(300)))}`,
    middle.length > 0 &&
      maxTokens > 1000 &&
      `Then: ${middle.map((item) => `${clip(item.text, 120)} (${item.event})`).join(' / ')}`,
    last &&
      last.event !== first?.event &&
      `Last asked (${last.event}): ${withShortNames(requestAtHand(items, facts.state, length(300), facts.answers) || opening(last.text, length(300)))}`,
    done(facts) && `Done: ${done(facts)}`,
    answer &&
      `${isOutcome ? 'Outcome' : 'Last said'} (${answer.event}): ${answerOpening(answer.text, length(600))}`,
  ]
  return cleanText(lines.filter((line) => typeof line === 'string' && line !== '').join('\n')).trim()
}

/** How many requests between the first and the last the overview names, by the room of the summary. */
const minRequests = 8
const maxRequests = 20
const tokensOfRequest = 300

/** Words of the user that ask for something, not a mere "yes" or "/clear". A plan handed over for work counts too. */
function* requests(items: readonly TranscriptItem[]): Steps<TranscriptItem[]> {
  const words: TranscriptItem[] = []
  const telling: TranscriptItem[] = []
  for (const [index, item] of items.entries()) {
    if (!/^(?:user|task)$/.test(item.label) || item.agent !== 'main') continue
    yield
    const whole = { ...item, text: withPlan(items, index, item.text) }
    words.push(whole)
    const asking = cleanLine(askingPart(whole.text))
    if (asking.length >= (agrees.test(asking) ? 25 : 12) && !onlyGoesOn.test(asking)) telling.push(whole)
  }
  return telling.length > 0 ? telling : words
}

function currentTask(items: readonly TranscriptItem[], facts: Facts): string {
  const isDone = facts.state?.state === 'finished'
  const active = isDone ? undefined : tasksOfTurn(facts).find((task) => task.status === 'in_progress')
  const asked = requestAtHand(items, facts.state, 100, facts.answers)
  return cleanLine(clip(withShortNames(active?.text ?? asked), 200))
}

/** The state of the work, as far as the next steps and the facts of a bundle do not say it. */
function resumeInstructions(facts: Facts, outcome: string | false): string {
  const lines = [
    outcome,
    facts.validation === undefined && facts.files.some(canBeChecked) && 'No check was run.',
    facts.subagent && `A subagent (${facts.subagent}): it answers to that agent.`,
    published(facts),
    uncommitted(facts),
  ]
  return cleanText(lines.filter((line) => typeof line === 'string' && line !== '').join('\n')).trim()
}

const canBeChecked = ({ path, lastEdit, temporary }: Facts['files'][number]) =>
  lastEdit !== undefined && !temporary && !prose.test(path)

const prose = /\.(?:md|mdx|rst|adoc|txt|html?|svg|png|jpe?g|gif)$/i

/** Events from the words that say why a file is touched to the call: several calls may follow one sentence. */
const near = 8

/**
 * What the agent says of a file: of a changed one the item of an answer about it ("`a.ts`: keeps the order"), otherwise a
 * sentence with a reason that names it right before the call and in the same turn.
 */
function* fileReasons(
  items: readonly TranscriptItem[],
  facts: Facts,
  read: ReadSentences,
): Steps<SessionSummary['fileReasons']> {
  if (facts.files.length === 0) return []
  const sentences = items
    .filter((item) => item.type === 'assistant')
    .flatMap(({ event, text, final }) =>
      read(text).map((sentence) => ({ ...sentence, at: eventIndex(event), final })),
    )
  const answers = sentences.filter(({ final }) => final)
  const asked = items.filter((item) => item.type === 'user').map(({ event }) => eventIndex(event))
  const reasons: SessionSummary['fileReasons'][number][] = []
  for (const { path, lastEdit, evidence } of facts.files) {
    yield
    const name = path.split('/').at(-1) ?? path
    const at = eventIndex(lastEdit ?? evidence.at(-1) ?? 'e0')
    const from = Math.max(at - near, asked.findLast((turn) => turn <= at) ?? 0)
    const says = ({ text, question }: Sentence) => !question && text.includes(name)
    const about = answers.flatMap((each) =>
      lastEdit && each.at >= at && says(each) ? (behindName(each.text, name) ?? []) : [],
    )
    const before = sentences.filter((each) => each.at <= at && each.at >= from && says(each))
    const reason =
      about.findLast((text) => / .*[^:：]$/.test(text)) ??
      before.findLast(({ text }) => givesReason.test(text))?.text
    if (reason !== undefined) reasons.push({ path, reason: cleanLine(clip(reason, 120)) })
  }
  return reasons
}

/** What an item says of the file that it begins with. */
function behindName(text: string, name: string): string | undefined {
  const behind = text.slice(text.indexOf(name) + name.length)
  return /^[`(]*[\w@./-]*$/.test(text.slice(0, text.indexOf(name)))
    ? /^(?::\d[\d:,–-]*)?[`)]{0,2}\s*(?:[—–:-]|\s->|→)\s+(\S.*)$/.exec(behind)?.[1]
    : undefined
}

/** A reason, in a sentence that is not the head of a list. */
const givesReason =
  /^(?!.*[:：]\W*$).*(?:\b(?:because|since|so that|so (?:it|they|we|the)|due to|in order to|needs? to|must|otherwise|instead of|weil|damit|parce que|pour que|porque|para que|perché|affinché)\b|потому что|чтобы|因为|因為|以便|ため|때문)/i
