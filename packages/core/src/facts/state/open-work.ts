import { cleanLine } from '../../session/clean-text.ts'
import { type AssistantEvent, type EventId, eventIndex, type SessionEvent } from '../../session/event.ts'
import { known as withKnown } from '../../session/known.ts'
import { shareOf } from '../../text/overlap.ts'
import { onlyGoesOn } from '../answers/errands.ts'
import { beginsWithProgram } from '../commands/command-proposals.ts'
import { commandParts } from '../commands/next-command.ts'
import { sentenceTexts, splitSentences } from '../constraints/sentences.ts'
import type { CommandProposal, Facts, OpenWork } from '../facts.ts'
import { findIdentifiers } from '../identifiers/find-identifiers.ts'
import { topicWords } from '../statements/words.ts'
import { askingPart } from './last-turn.ts'
import { type LeftOpen, leftOpen } from './left-open.ts'

/** What a session did, as far as it can complete open steps. */
export interface Work {
  /** Commands that succeeded, and the parts of chains. */
  readonly commands: ReadonlySet<string>
  /** Topic words of what was reported or recorded as done: messages, commits, tasks, answered requests. */
  readonly done: readonly ReadonlySet<string>[]
  /** Files that were created or changed, and those of them that were committed. */
  readonly changed: readonly string[]
  readonly committed: readonly string[]
  readonly hasCommits?: boolean
}

const claims =
  /\b(?:done|added|wrote|written|created|implemented|fixed|finished|completed|removed|deleted|updated|moved|renamed|changed|replaced|installed|committed|pushed|released|merged|migrated|documented|now (?:passes|pass|works?|handles?|supports?|has|have|is|are)|passes now|in place|erledigt|fertig|hinzugefügt|geschrieben|erstellt|behoben|umgesetzt|aktualisiert|ajoutée?s?|écrite?s?|créée?s?|corrigée?s?|terminée?s?|faite?s?|añadid[oa]s?|escrit[oa]s?|cread[oa]s?|corregid[oa]s?|terminad[oa]s?|hech[oa]s?|aggiunt[oaie]|scritt[oaie]|creat[oaie]|corrett[oaie]|fatt[oaie]|adicionad[oa]s?|criad[oa]s?|corrigid[oa]s?|feit[oa]s?)(?![\p{L}])|(?:добавл|написа|создан|исправ|готово|сделан|完成|已添加|已修复|写好|追加しました|作成しました|修正しました|完了|추가했|완료|수정했)/iu

const notDone =
  /\b(?:not|never|no|next|todo|still|remain(?:s|ing)?|would|will|should|could|cannot|later|before|until|if|nicht|noch|nächste[rs]?|pas|prochaine?|encore|todavía|próximo|ancora|prossimo|ainda)(?![\p{L}])|n['’]t\b|(?:не |ещё|下一步|还没|尚未|次に|まだ|아직|다음)/iu

/** Returns work after an event that can complete open steps. */
export function workOf(
  events: readonly SessionEvent[],
  facts: Pick<Facts, 'commands' | 'files' | 'git' | 'tasks' | 'state'>,
  since = -1,
): Work {
  const isLater = (event: SessionEvent['id'] | undefined) => event !== undefined && eventIndex(event) > since
  const own = events.filter(
    ({ id, copied, inContext }) => copied !== true && inContext !== false && isLater(id),
  )
  const ran = facts.commands.filter(({ call, status }) => status === 'ok' && isLater(call))
  const changed = facts.files.filter(({ status, lastEdit }) => status !== 'read' && isLater(lastEdit))
  const commits = facts.git.commits.filter(({ event }) => isLater(event))
  const worked = changed.length > 0 || commits.length > 0 || ran.length > 0
  const asked =
    worked && facts.state?.state === 'finished'
      ? own.flatMap((event) => (event.type === 'user' ? plainSentences(event.text) : []))
      : []
  return {
    commands: new Set(
      ran.flatMap(({ command }) => [cleanLine(command), ...commandParts(cleanLine(command))]),
    ),
    done: [
      ...(worked ? own.flatMap(claimsIn) : []),
      ...commits.map(({ subject }) => topicWords(subject ?? '')),
      ...facts.tasks
        .filter(({ status, event }) => (status === 'completed' || status === 'cancelled') && isLater(event))
        .map(({ text }) => topicWords(text)),
      ...asked,
    ],
    changed: changed.map(({ path }) => path),
    committed: changed
      .filter(({ lastEdit }) =>
        commits.some(({ event }) => eventIndex(event) > eventIndex(lastEdit ?? event)),
      )
      .map(({ path }) => path),
    hasCommits: commits.length > 0,
  }
}

function claimsIn(event: SessionEvent): ReadonlySet<string>[] {
  if (event.type !== 'assistant' || event.agent !== 'main') return []
  return sentenceTexts(event.text)
    .filter((text) => claims.test(text) && !notDone.test(text))
    .map(topicWords)
}

/** Returns requests, without those that postpone or forbid something. */
function plainSentences(text: string): ReadonlySet<string>[] {
  return splitSentences(text)
    .filter((sentence) => !sentence.quoted && !notDone.test(sentence.text) && !/[?？]$/.test(sentence.text))
    .map((sentence) => topicWords(sentence.text))
}

/** An open step. */
export interface OpenStep {
  readonly text: string
  readonly command?: string | undefined
}

/**
 * Whether a step was done: its command succeeded and the files that it names were changed, these were committed, or it
 * was reported as done in other words.
 */
export function isDone({ text, command }: OpenStep, work: Work): boolean {
  const { commands, done, changed, committed } = work
  if (work.hasCommits && onlyCommits.test(text)) return true
  const code = [...text.matchAll(/`([^`\n]{2,400})`/g)].map(([, span = '']) => cleanLine(span))
  const wanted = command === undefined ? code : [cleanLine(command)]
  const ran = wanted.some((line) => commands.has(line))
  if (command !== undefined && !ran && isCheck.test(text)) return false
  const words = topicWords(text.replace(/`[^`\n]*`/g, ' ').replace(label, ''))
  const files = filesIn(text)
  const areChanged = areIn(files, changed)
  if (areChanged && (ran || (files.length > 0 && areIn(files, committed)))) return true
  const minShare = files.length > 0 && areChanged ? minShareOfChanged : minShareOfSaid
  return words.size > 0 && done.some((said) => shareOf(words, said) >= minShare)
}

/** "Left: commit", "Then commit the changes" */
const onlyCommits =
  /^(?:\W*\w+){0,2}?\W*\bcommit(?:ting)?(?: (?:it|them|this|that|the|all|these|my|your|changes?|edits?|files?|work))*\W*$/i

function areIn(files: readonly string[], paths: readonly string[]): boolean {
  return files.every((file) => paths.some((path) => `/${path}`.endsWith(`/${file}`)))
}

/** Only a success completes it. */
const isCheck = /^Make it pass: /

/** Labels at the beginning of a step. */
const label = /^(?:Make it pass|Open(?: question)?|Next(?: steps?)?|Carry out the approved plan): /i

function filesIn(text: string): string[] {
  return findIdentifiers(text).flatMap(({ kind, text: path }) =>
    kind === 'path' && /\.\w+$/.test(path) ? [path.replace(/^\.?\//, '')] : [],
  )
}

/** Minimum share of a step's words in a report that it is done, also if all files that it names were changed. */
const minShareOfSaid = 0.6
const minShareOfChanged = 0.34

/** Maximum number of earlier answers that count if the user only wrote "commit" or "go on" after them. */
const maxEarlier = 2

/** Maximum events that a harness may log between the start of a summary and the summary. */
const whileSummarized = 15

/** With more calls after a compaction, most of the work in its summary is done. */
const maxCallsAfterSummary = 10

type Known = Pick<Facts, 'commands' | 'files' | 'git' | 'tasks' | 'state' | 'answers'>

/** A message with what it leaves open. */
interface Read extends LeftOpen {
  readonly event: EventId
}

/**
 * Returns open work in the last words of a session: the last answer, the answer before it if the user only asked to
 * continue or the turn was cut off, or a summary followed by little work. Leaves out what was done since.
 */
export function openWork(events: readonly SessionEvent[], known: Known): OpenWork {
  const { state } = known
  if (state === undefined) return { steps: [], remarks: [] }
  const main = events.filter(
    ({ agent, copied, inContext }) => agent === 'main' && copied !== true && inContext !== false,
  )
  const reads = messagesToRead(main, known).map(
    (event): Read => ({ ...leftOpen(event.text), event: event.id }),
  )
  const summaries = new Set(main.flatMap(({ type, id }) => (type === 'compaction' ? [id] : [])))
  const steps = reads.flatMap(({ event, steps: named }) => {
    if (named.length === 0) return []
    const work = workOf(events, known, eventIndex(event) - (summaries.has(event) ? whileSummarized : 0))
    return named.filter((text) => !isDone({ text }, work)).map((text) => ({ text, event }))
  })
  const last = reads.find(({ event }) => event === state.answer)
  const asked = new Set(state.questions.map(({ text }) => text))
  const open = [
    ...approvedPlan(known),
    ...steps.filter((step) => !asked.has(step.text) && !wasAnswered(step, known)),
  ]
  const remarks = (last?.remarks ?? []).map((text) => ({ text, event: last?.event as EventId }))
  const [hedge] = open.length + remarks.length === 0 ? (last?.hedges ?? []) : []
  return { steps: open, remarks, ...withKnown({ hedge }) }
}

/** Whether the user answered an offered step: the chosen one is the request, and the others were not wanted. */
function wasAnswered({ text, event }: OpenWork['steps'][number], { answers }: Known): boolean {
  return answers.some(
    ({ asked, question, chosen, others }) =>
      asked === event &&
      ([...chosen, ...others].some(({ label }) => text.startsWith(label)) ||
        (question !== '' && (text.includes(question) || question.includes(text)))),
  )
}

/** Returns the messages whose next steps still count, the last one first. */
function messagesToRead(
  main: readonly SessionEvent[],
  { state, files }: Known,
): (SessionEvent & { readonly text: string })[] {
  const { answer, request } = state ?? {}
  const isAnswered = state?.because === 'answer' || state?.state === 'waiting'
  const found = []
  const last = main.find(({ id }) => id === answer)
  if (last?.type === 'assistant') found.push(last)
  let at = main.findIndex(({ id }) => id === request)
  // A turn that was cut off completed nothing of the answer before it.
  if (!isAnswered && at > 0) {
    const before = lastAnswer(main.slice(0, at))
    if (before !== undefined) found.push(before)
  }
  // An answer to "do it" with changes names the rest itself.
  const since = eventIndex(request ?? 'e0')
  const didIt = isAnswered && files.some(({ lastEdit }) => eventIndex(lastEdit ?? 'e0') > since)
  if (didIt) at = -1
  for (let turn = 0; turn < maxEarlier && at > 0 && saysLittle(main[at]); turn++) {
    const before = main.slice(0, at)
    const earlier = lastAnswer(before)
    if (earlier !== undefined && !found.includes(earlier)) found.push(earlier)
    at = before.findLastIndex(({ type }) => type === 'user')
  }
  const summaryAt = main.findLastIndex(({ type }) => type === 'compaction')
  const summary = main[summaryAt]
  const after = main.slice(summaryAt + 1)
  if (summary?.type !== 'compaction') return found
  const calls = after.filter(({ type }) => type === 'tool_call').length
  const asked = after.filter((event) => event.type === 'user')
  if (!asked.every(saysLittle)) return found
  const isNext = asked.length > 0 && calls === 0
  return isNext || (!isAnswered && calls <= maxCallsAfterSummary) ? [...found, summary] : found
}

function lastAnswer(events: readonly SessionEvent[]) {
  return events.findLast((event): event is AssistantEvent => event.type === 'assistant' && event.text !== '')
}

/** "Thanks", "commit and push", "continue": the answer before still names the next steps. */
function saysLittle(event: SessionEvent | undefined): boolean {
  if (event?.type !== 'user') return false
  const asked = askingPart(event.text)
  return asked === '' || onlyGoesOn.test(asked)
}

/** Returns the plan that the user approved last, if nothing was changed since. */
function approvedPlan({ answers, files, commands }: Known): OpenWork['steps'] {
  const plan = answers.findLast(({ kind }) => kind === 'plan')
  if (plan === undefined || !/^approved\b/.test(plan.answer) || plan.question === '') return []
  const isLater = (event: EventId = 'e0') => eventIndex(event) > eventIndex(plan.event)
  if (files.some(({ lastEdit }) => isLater(lastEdit))) return []
  if (commands.some(({ call, purpose }) => purpose !== undefined && isLater(call))) return []
  return [{ text: `Carry out the approved plan: ${plan.question}`, event: plan.event }]
}

/** Adds the commands in code that steps name, which proposes them. */
export function withNamedCommands(
  proposals: readonly CommandProposal[],
  { steps }: OpenWork,
  commands: Facts['commands'],
): CommandProposal[] {
  const programs = new Set(commands.map(({ program }) => program.split(' ', 1)[0] ?? ''))
  const named = steps.flatMap(({ text, event }) =>
    [...text.matchAll(/`([^`\n]{2,300})`/g)].flatMap(([, code = '']) => {
      const command = cleanLine(code)
      return command.includes(' ') && beginsWithProgram(command, programs) ? [{ command, event }] : []
    }),
  )
  const isKnown = ({ command, event }: CommandProposal) =>
    proposals.some((other) => other.event === event && other.command === command)
  return [...proposals, ...named.filter((proposal) => !isKnown(proposal))]
}
