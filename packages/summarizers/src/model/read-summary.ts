import {
  cleanLine,
  cleanText,
  type Entry,
  emptySummary,
  listOf,
  mapLists,
  numberStatements,
  type StatementKey,
  type SummaryDelta,
} from '@tenfold/core/internal/summarizer'
import type {
  Decision,
  EventId,
  NextStep,
  SessionSummary,
  SettledClaim,
  SummaryItem,
  SummaryRequest,
} from '@tenfold/core/summarizer'
import { numberRules } from './rules-text.ts'
import { type Said, saidIn } from './said.ts'

/** An answer whose root has the fields of `looseWireSchema`; entries of its lists are still unknown. */
export type WireAnswer = Readonly<Record<string, unknown>>

/**
 * Parses a summary from an answer. Leaves out entries without words, and everything that the request does not confirm:
 * evidence that it does not hold, constraints that no user wrote, next commands that nobody proposed, files that nobody
 * touched.
 */
export function readSummary(
  answer: WireAnswer,
  request: SummaryRequest,
  said: Said = saidIn(request),
): SessionSummary {
  const { kind, facts } = request
  const field = (key: StatementKey) => (kind === 'progress' ? (inProgressReport[key] ?? key) : key)
  const summary = mapLists(
    emptySummary(kind),
    <T extends Entry>(_: readonly T[], key: StatementKey) =>
      (readers[key] ?? itemsOf)(answer[field(key)], said) as T[],
  )
  const phase = lineOf(answer.phase)
  const currentTask = taskOf(answer.currentTask)
  const { plan, progress, research, workflow } = summary
  const paths = new Set(facts.files.map(({ path }) => path))
  return {
    ...summary,
    overview: textOf(answer.summary),
    workflow: { ...(phase !== '' && { phase }), ...(currentTask !== '' && { currentTask }), ...workflow },
    ...rulesOf(answer, request, said),
    resumeInstructions: textOf(answer.resumeInstructions),
    fileReasons: entriesOf(answer.fileReasons).flatMap((entry) => {
      const path = cleanLine(stringOf(entry.path)).replace(/^\.\//, '')
      const reason = lineOf(entry.reason)
      return paths.has(path) && reason !== '' ? [{ path, reason }] : []
    }),
    ...(plan && { plan: { ...plan, approach: textOf(answer.approach) } }),
    ...(progress && { progress: { ...progress, currentState: textOf(answer.currentState) } }),
    ...(research && { research: { decision: textOf(answer.researchDecision) } }),
  }
}

/** A report on progress has its tasks in its own lists. */
const inProgressReport: { readonly [K in StatementKey]?: string } = {
  tasksCompleted: '',
  tasksRemaining: '',
  completed: 'tasksCompleted',
  remaining: 'tasksRemaining',
}

/** How the entries of a list are read, if they are more than a text with evidence. */
const readers: { readonly [K in StatementKey]?: (value: unknown, said: Said) => readonly Entry[] } = {
  decisions: (value, said) => entriesOf(value).flatMap((entry) => decisionOf(entry, said)),
  nextSteps: (value, said) => entriesOf(value).flatMap((entry) => nextStepOf(entry, said)),
  constraints: constraintsOf,
}

/** The changes that an answer to an update makes to the earlier statements. */
export function readDelta(
  answer: WireAnswer,
  request: SummaryRequest,
  earlier: SessionSummary,
): SummaryDelta {
  const said = saidIn(request)
  const userDecided = new Set(earlier.decisions.filter(({ by }) => by === 'user').map(({ choice }) => choice))
  const statements = new Map(numberStatements(earlier).map((statement) => [statement.id, statement]))
  return {
    summary: readSummary(answer, request, said),
    changed: entriesOf(answer.changed).flatMap((entry) => {
      const id = idOf(entry.id)
      const text = lineOf(entry.text)
      const evidence = evidenceOf(entry.evidence, said)
      const statement = statements.get(id)
      if (statement === undefined || text === '') return []
      // Words of a tool must not become decisions of the user.
      const ofUser = statement.list === 'decision' && userDecided.has(statement.text)
      return ofUser && !said.byUser(text, evidence) ? [] : [{ id, text, evidence }]
    }),
    resolved: idsOf(answer.resolved),
    obsolete: idsOf(answer.obsolete),
  }
}

/** Maximum number of claims that are read. */
const maxClaims = 200

/** What an answer calls settled of the carried items that the request shows; core checks each claim. */
export function readSettled({ settled }: WireAnswer, { carried }: SummaryRequest): SettledClaim[] {
  if (carried === undefined) return []
  return entriesOf(settled)
    .slice(0, maxClaims)
    .flatMap((entry) => {
      const id = idOf(entry.id)
      const event = /\be[1-9]\d{0,8}\b/.exec(stringOf(entry.event).slice(0, 200).toLowerCase())?.[0] ?? ''
      return id === '' ? [] : [{ id, event }]
    })
}

/** Event ids found in a list of texts or numbers, `e12-e15` as its two ends; only ids of the request, each once. */
function evidenceOf(value: unknown, said: Said): EventId[] {
  const ids = listOf(value).flatMap((entry) => {
    const text = typeof entry === 'number' ? `e${entry}` : stringOf(entry).slice(0, 200)
    return text.toLowerCase().match(/\be[1-9]\d{0,8}\b/g) ?? []
  }) as EventId[]
  return [...new Set(ids)].filter((id) => said.knows(id)).slice(0, maxEvidence)
}

/** For one statement: more evidence adds nothing. */
const maxEvidence = 8

function itemsOf(value: unknown, said: Said): SummaryItem[] {
  return entriesOf(value).flatMap((entry) => {
    const text = lineOf(entry.text)
    return text === '' ? [] : [{ text, evidence: evidenceOf(entry.evidence, said) }]
  })
}

function decisionOf(entry: WireAnswer, said: Said): Decision[] {
  const topic = lineOf(entry.topic)
  const choice = lineOf(entry.choice) || lineOf(entry.text)
  const rationale = lineOf(entry.rationale)
  if (choice === '') return []
  const evidence = evidenceOf(entry.evidence, said)
  const alternatives = listOf(entry.alternatives)
    .map(lineOf)
    .filter((text) => text !== '')
  const byUser = entry.by === 'user' && said.byUser(`${topic} ${choice}`, evidence)
  return [
    {
      ...(topic === '' ? {} : { topic }),
      choice,
      ...(rationale === '' ? {} : { rationale }),
      alternatives,
      by: byUser ? 'user' : 'agent',
      evidence,
    },
  ]
}

function constraintsOf(value: unknown, said: Said): SummaryItem[] {
  const quotes = entriesOf(value).flatMap((entry) => said.quoteOf(stringOf(entry.text)) ?? [])
  const once = new Map(quotes.map((quote) => [quote.text, quote]))
  return [...once.values()].map(({ text, event }) => ({ text, evidence: [event] }))
}

/** The rules that the model picked by their ids, and those that it added; core checks the sources of those. */
function rulesOf(
  answer: WireAnswer,
  { facts }: SummaryRequest,
  said: Said,
): Pick<SessionSummary, 'projectRules'> {
  const picked = new Set(idsOf(answer.rules))
  const known = numberRules(facts).flatMap(({ id, rule }) =>
    picked.has(id) ? [{ text: cleanLine(rule.text), evidence: [rule.event] }] : [],
  )
  const projectRules = [...known, ...itemsOf(answer.otherRules, said)]
  return projectRules.length === 0 ? {} : { projectRules }
}

function nextStepOf(entry: WireAnswer, said: Said): NextStep[] {
  const command = stringOf(entry.command).includes('\n') ? '' : lineOf(entry.command).replace(/^`+|`+$/g, '')
  const known = command !== '' && said.proposed(command)
  const action = lineOf(entry.action) || lineOf(entry.text) || (known ? command : '')
  if (action === '') return []
  return [{ action, ...(known ? { command } : {}), evidence: evidenceOf(entry.evidence, said) }]
}

/** Entries of a list as objects; a bare text counts as an entry with only that text. */
function entriesOf(value: unknown): WireAnswer[] {
  return listOf(value).flatMap((entry) => {
    if (typeof entry === 'string') return [{ text: entry }]
    return typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? [entry as WireAnswer] : []
  })
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function lineOf(value: unknown): string {
  return cleanLine(stringOf(value))
}

/** Empty if it only says that there is none: it names the session. */
function taskOf(value: unknown): string {
  const line = lineOf(value)
  return /^(?:none|nothing|n\/a|no (?:current )?task)\b/i.test(line) ? '' : line
}

function textOf(value: unknown): string {
  return cleanText(stringOf(value)).trim()
}

function idsOf(value: unknown): string[] {
  return listOf(value)
    .map(idOf)
    .filter((id) => id !== '')
}

/** Parses `[F3]` as `f3`. */
function idOf(value: unknown): string {
  return stringOf(value)
    .slice(0, 20)
    .toLowerCase()
    .replace(/[^a-z\d]/g, '')
}
