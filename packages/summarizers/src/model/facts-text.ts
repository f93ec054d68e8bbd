import { cutHead, eventIndex, isOpenError } from '@tenfold/core/internal/summarizer'
import type {
  CheckFact,
  EventId,
  Facts,
  StateFact,
  TokenCounter,
  TranscriptItem,
} from '@tenfold/core/summarizer'
import { callsOf, isGivenTask, isUserItem, quoted } from './transcript.ts'

export interface FactsTextOptions {
  readonly maxTokens: number
  readonly counter: TokenCounter
  /** Only facts that rest on events of the request. @default all */
  readonly within?: ((event: EventId) => boolean) | undefined
  /** False for a part of a session that other parts follow: the final state of the work tree does not belong to it. @default true */
  readonly atEnd?: boolean | undefined
  /** What the request shows of the events that facts cite. @default nothing */
  readonly shown?: ShownEvents | undefined
}

/** What the transcript of a request shows of events. */
export interface ShownEvents {
  /** The id under which the block of an event can be found. */
  idOf(event: EventId): EventId
  /** Whether an agent said it, in a session that no user started. */
  isTask(event: EventId): boolean
  /** What a short answer of the user answered. */
  questionOf(event: EventId): string | undefined
}

const nothing: ShownEvents = { idOf: (event) => event, isTask: () => false, questionOf: () => undefined }

interface Section {
  readonly title: string
  readonly lines: readonly string[]
}

/**
 * What the program knows for sure and the model needs to summarize: as headed lists of quoted lines, in at most
 * `maxTokens`.
 */
export function factsText(facts: Facts, options: FactsTextOptions): string {
  const { maxTokens, counter, within = () => true, atEnd = true, shown = nothing } = options
  let left = maxTokens
  return sectionsOf(facts, within, atEnd, shown)
    .flatMap(({ title, lines }) => {
      const fits = (text: string) => {
        const tokens = counter.count(text) + 1
        if (tokens > left) return false
        left -= tokens
        return true
      }
      // Room for the title and for the line that counts the rest.
      if (lines.length === 0 || !fits(`${title} (${lines.length} more)`)) return []
      const kept: string[] = []
      for (const line of lines) {
        const text = quoted(line)
        if (!fits(text)) break
        kept.push(text)
      }
      const more = lines.length - kept.length
      return [title, ...kept, ...(more > 0 ? [`(${more} more)`] : [])]
    })
    .join('\n')
}

function sectionsOf(
  facts: Facts,
  within: (event: EventId) => boolean,
  atEnd: boolean,
  { idOf, isTask, questionOf }: ShownEvents,
): Section[] {
  const { validation, state } = facts
  const commits = facts.git.commits.filter(({ event }) => within(event))
  // What was said to be done before a check that failed is not proven.
  const failed = (event: EventId) =>
    validation?.status === 'error' && eventIndex(validation.call) > eventIndex(event)
      ? ` (a check failed after it: ${validation.call})`
      : ''
  const touched = facts.files.filter((file) => file.evidence.some(within)).toReversed()
  const place = ({ lastEdit, evidence: [first = 'e0'] }: Facts['files'][number]) =>
    eventIndex(lastEdit ?? first)
  // A file that a later part changes is in this one as it was.
  const changed = touched
    .filter(({ status, lastEdit }) => status !== 'read' && (lastEdit === undefined || within(lastEdit)))
    .sort((a, b) => place(b) - place(a))
  const read = touched.filter((file) => file.status === 'read').sort((a, b) => b.touches - a.touches)
  const open = facts.errors.filter((error) => isOpenError(error) && within(error.event))
  const demands = (ofTask: boolean) =>
    facts.constraints
      .filter(({ event }) => within(event) && isTask(event) === ofTask)
      .map(({ event, text }) => {
        const question = questionOf(event)
        const asked = question === undefined ? '' : ` (answer to: ${short(question, 240)})`
        return `${idOf(event)} ${short(text, 400)}${asked}`
      })
  return [
    { title: 'Demands of the user:', lines: demands(false) },
    { title: 'Demands of the agent that gave the task:', lines: demands(true) },
    {
      title: 'How the session ended:',
      lines: state?.evidence.some(within) ? [stateLine(state, idOf)] : [],
    },
    {
      title: 'Task list of the agent at the end:',
      lines: facts.tasks
        .filter(({ event }) => within(event))
        .map(
          ({ event, status, text }) =>
            `${idOf(event)} ${status}: ${short(text, 240)}${status === 'completed' ? failed(event) : ''}`,
        ),
    },
    {
      title: 'Last check:',
      lines: validation !== undefined && within(validation.call) ? [checkLine(validation)] : [],
    },
    {
      title: commits.length > 8 ? `Commits (the last 8 of ${commits.length}):` : 'Commits:',
      lines: commits
        .slice(-8)
        .map(
          ({ event, sha, subject = '', rebased }) =>
            `${idOf(event)} ${short(`${sha}${rebased ? ' (rebased since: it has another id)' : ''} ${subject}`, 160)}`,
        ),
    },
    { title: 'Work tree at the end:', lines: atEnd ? workTreeLines(facts) : [] },
    {
      title: 'Errors that nothing later solved:',
      lines: open.slice(-10).map(({ event, message }) => `${idOf(event)} ${short(message, 240)}`),
    },
    {
      title: 'Files changed, latest first:',
      lines: changed.map(
        ({ status, path, from }) =>
          `${status} ${short(path, 240)}${from === undefined ? '' : ` (it was ${short(from, 240)})`}`,
      ),
    },
    {
      title: 'Files read only, most often first:',
      lines: read.slice(0, 15).map((file) => short(file.path, 240)),
    },
  ]
}

function stateLine({ state, because, evidence, words }: StateFact, idOf: ShownEvents['idOf']): string {
  const said = words === undefined ? '' : `: ${short(words, 300)}`
  return `${[...new Set(evidence.map(idOf))].join(' ')} ${state} (${because})${said}`
}

function checkLine({ call, status, exitCode, command, part, stale, restaged }: CheckFact): string {
  const outcome = `${status}${exitCode === undefined ? '' : ` (exit ${exitCode})`}`
  const later = restaged ? 'other changes were staged' : 'files were edited'
  return `${call} ${outcome}${stale ? `, and ${later} after it` : ''}: ${short(part ?? command, 300)}`
}

/** Branch, head, what is not committed and whether the last commit was pushed. */
function workTreeLines({ git, files }: Facts): string[] {
  const last = git.commits.at(-1)?.event
  const since = files.filter(
    ({ lastEdit }) => last !== undefined && lastEdit !== undefined && eventIndex(lastEdit) > eventIndex(last),
  )
  return [
    ...(git.branch === undefined ? [] : [`branch ${short(git.branch, 120)}`]),
    ...(git.head === undefined ? [] : [`head ${short(git.head, 60)}`]),
    ...(git.dirty === undefined ? [] : [git.dirty ? 'uncommitted changes' : 'clean']),
    ...(since.length === 0
      ? []
      : [`edited after the last commit: ${short(since.map(({ path }) => path).join(', '), 300)}`]),
    ...(last === undefined && files.some(({ lastEdit }) => lastEdit) ? ['the log shows no commit'] : []),
    ...(last === undefined || git.pushed === 'unknown'
      ? []
      : [
          git.pushed === undefined
            ? 'the log shows no push of the last commit'
            : `last commit pushed in ${git.pushed}`,
        ]),
  ]
}

function short(text: string, length: number): string {
  const line = text.slice(0, length * 4).replace(/\s+/g, ' ')
  return line.length <= length ? line : `${cutHead(line, length)} […]`
}

/** All events that facts cite. */
export function eventsOfFacts(facts: Facts): EventId[] {
  const events = [
    ...facts.files.flatMap((file) => [...file.evidence, file.lastEdit]),
    ...facts.commands.flatMap((command) => [command.call, command.result]),
    ...facts.errors.flatMap((error) => [error.call, error.event, error.resolvedBy, error.leftBehind]),
    ...facts.tasks.map((task) => task.event),
    ...facts.git.commits.map((commit) => commit.event),
    ...facts.constraintCandidates.map((candidate) => candidate.event),
    ...facts.projectRules.map((rule) => rule.event),
    ...[...facts.identifiers.values()].flatMap(({ first, last }) => [first, last]),
    ...(facts.validation === undefined ? [] : [facts.validation.call, facts.validation.result]),
    ...(facts.state?.evidence ?? []),
  ]
  return events.filter((event) => event !== undefined && eventIndex(event) >= 0) as EventId[]
}

/** A longer message says itself what it is about. */
const longestAnswer = 160

/** Finds in the transcript of a request what facts cite: the block of an event, and what an answer answered. */
export function shownEvents(items: readonly TranscriptItem[]): ShownEvents {
  const tasks = new Set(items.filter(isGivenTask).map(({ event }) => event))
  const questions = new Map<EventId, string>()
  let last = ''
  for (const item of items) {
    if (item.agent !== 'main') continue
    if (item.type === 'assistant') last = item.text
    if (!isUserItem(item)) continue
    const question = item.queued === true || item.text.length > longestAnswer ? undefined : questionIn(last)
    if (question !== undefined) questions.set(item.event, question)
    last = ''
  }
  return {
    idOf: callsOf(items),
    isTask: (event) => tasks.has(event),
    questionOf: (event) => questions.get(event),
  }
}

/** The last question of a text, if the text ends with it or with its options. */
function questionIn(text: string): string | undefined {
  const end = text.trim().slice(-2000)
  const at = end.lastIndexOf('?')
  const question =
    end
      .slice(Math.max(0, at - 400), Math.max(0, at))
      .split(/[.!?\n]/)
      .at(-1) ?? ''
  return question.length < 3 || end.length - at > 601 ? undefined : `${question.trim()}?`
}
