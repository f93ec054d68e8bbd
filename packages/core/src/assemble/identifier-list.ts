import { sectionPieces } from '../bundle/markdown.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import type { Identifier } from '../facts/facts.ts'
import { findIdentifiers, scanIdentifiers } from '../facts/identifiers/find-identifiers.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import { cleanText } from '../session/clean-text.ts'
import type { EventId } from '../session/event.ts'
import * as json from '../session/json.ts'
import { once } from '../session/once.ts'
import type { Steps } from '../session/pauses.ts'
import { heldNames } from './held-names.ts'

/** Lists identifiers of a session that a bundle does not contain yet. */
export type ListIdentifiers = (bundle: ContextBundle, maxTokens: number) => Steps<string[]>

/**
 * Lists identifiers of the log that the bundle does not contain yet, the most important first, up to `maxTokens`: first
 * those from the user, then those only in the agent's words, then names that the agent used often and late, short ones
 * before long ones. Later work needs them, and a search of the archived log can start from them. Reads the session
 * once.
 */
export function* identifierLister(plan: BundlePlan): Steps<ListIdentifiers> {
  const toolNames = namesOfTools(plan)
  yield
  const said = yield* saidByAgent(plan, toolNames)
  const given = yield* givenByUser(plan)
  const values = uniqueValues([...given, ...said, ...usedNames(plan, toolNames)])
  yield
  const ofAgent = new Set(said)
  const heldIn = heldNames(values.flatMap(({ parts }) => parts))
  yield
  return function* list(bundle, maxTokens) {
    if (maxTokens <= 0) return []
    const shown = yield* readTexts(bundle)
    const held = yield* heldIn(shown)
    const lines = once(() => shown.flatMap((text) => text.split('\n')))
    const saidRoom = Math.max(leastSaid, maxTokens * saidShare)
    const listed: string[] = []
    let size = 0
    let sizeOfSaid = 0
    for (const value of values) {
      if (value.text === '' || isHeld(value, held, lines)) continue
      const isSaid = ofAgent.has(value)
      if (isSaid && saidRoom - sizeOfSaid < leastTokens) continue
      const tokens = plan.counter.count(`${value.text}, `)
      if (isSaid) {
        if (sizeOfSaid + tokens > saidRoom) continue
        sizeOfSaid += tokens
      }
      size += tokens
      if (size > maxTokens) break
      listed.push(value.text)
    }
    return listed
  }
}

/** Minimum tokens of a value and its comma. */
const leastTokens = 2

/** Returns names that occur more than once, the most important first. */
function usedNames(plan: BundlePlan, toolNames: ReadonlySet<string>): StatedValue[] {
  const events = Math.max(1, plan.session.events.length)
  const worthOf = ({ kind, text, count, own, last }: Identifier) => {
    const recency = 0.3 + (Number(last.slice(1)) / events) ** 2
    return Math.log2(1 + count + ownWeight * own) * worthOfKind({ kind, text }, own) * recency
  }
  const folder = `${plan.session.cwd}/`
  const names = [...plan.facts.identifiers.values()]
    .filter(({ count, text }) => count > 1 && text.length <= 80 && !toolNames.has(text))
    .map((named) => ({ text: withoutFolder(named.text, folder), worth: worthOf(named) }))
    .filter(({ worth }) => worth > 0)
  const least =
    Float64Array.from(names, ({ worth }) => worth)
      .sort()
      .at(-maxCandidates) ?? 0
  return names
    .filter(({ worth }) => worth >= least)
    .sort(byWorth)
    .slice(0, maxCandidates)
    .map(({ text, worth }) => ({ text, worth: worth / Math.sqrt(plan.counter.count(`${text}, `)) }))
    .sort(byWorth)
    .map(({ text }) => ({ text, parts: [text] }))
}

function withoutFolder(path: string, folder: string): string {
  return path.startsWith(folder) ? path.slice(folder.length) : path
}

/** Returns the names of tools that the agent called, and of their arguments, which belong to the harness, not to the work. */
function namesOfTools({ session }: BundlePlan): Set<string> {
  return new Set(
    session.events.flatMap((event) =>
      event.type === 'tool_call' ? [event.name, ...Object.keys(json.fields(event.input))] : [],
    ),
  )
}

/** More than any list can show, because their tokens are counted. */
const maxCandidates = 2000

function byWorth(a: { text: string; worth: number }, b: { text: string; worth: number }): number {
  return b.worth - a.worth || (a.text < b.text ? -1 : 1)
}

/** Share of the list for values only in the agent's words; names that the agent works with are needed more often. */
const saidShare = 0.15

/** Minimum tokens for these values: in a small session most values occur once. */
const leastSaid = 40

function uniqueValues(values: readonly StatedValue[]): StatedValue[] {
  return [...new Map(values.map((value) => [value.text, value])).values()]
}

function isHeld({ parts }: StatedValue, held: ReadonlySet<string>, lines: () => readonly string[]): boolean {
  if (!parts.every((part) => held.has(part))) return false
  return parts.length === 1 || lines().some((line) => parts.every((part) => line.includes(part)))
}

/**
 * Yields the parts of the session that a reader of the bundle sees, in pieces cut between lines, without the id, times,
 * sizes and digests of its front matter.
 */
function* readTexts(bundle: ContextBundle): Steps<string[]> {
  const { source, git, workflow } = bundle
  const front = [source.title, source.cwd, git.branch, workflow.currentTask, ...source.models]
  const texts = [front.join('\n')]
  for (const piece of sectionPieces(bundle)) {
    texts.push(piece)
    yield
  }
  return texts
}

/** A use in the agent's own words or input counts as much as this many in tool output. */
const ownWeight = 4

/** Returns values in the user's words, the last ones first. */
function* givenByUser({ session }: BundlePlan): Steps<StatedValue[]> {
  const values: StatedValue[] = []
  for (const event of session.events.toReversed()) {
    if (event.type !== 'user' || event.copied) continue
    for (const value of statedValues(cleanText(event.text))) if (value.text.length <= 120) values.push(value)
    yield
  }
  return values
}

/** Returns values that occur only in the agent's words, the last ones first. */
function* saidByAgent({ session, facts }: BundlePlan, toolNames: ReadonlySet<string>): Steps<StatedValue[]> {
  const rare = new Set<EventId>()
  for (const [name, known] of facts.identifiers) if (isRare(name, known)) rare.add(known.first)
  const values: StatedValue[] = []
  for (const event of session.events.toReversed()) {
    if (event.type !== 'assistant' || event.copied) continue
    if (!rare.has(event.id) && !labeledNumber.test(event.text)) continue
    yield
    for (const value of valuesOfProse(cleanText(event.text), facts.identifiers))
      if (value.text.length <= 120 && !toolNames.has(value.text)) values.push(value)
  }
  return values
}

const kindWorth = { path: 1, symbol: 1, error: 0.8, flag: 0.5, url: 0.5, sha: 0.3 }

/**
 * Returns the worth of a kind of name. The parts of `sessions.find` are found as separate names. An option that only
 * tools printed is worth nothing, since the banner of a program lists many unused ones.
 */
function worthOfKind({ kind, text }: Pick<Identifier, 'kind' | 'text'>, own: number): number {
  if (kind === 'flag' && own === 0) return 0
  return kindWorth[kind] * (kind === 'symbol' && text.includes('.') ? 0.5 : 1)
}

/** A value in a text: as it is listed, and the parts that a line must contain to hold it. */
interface StatedValue {
  readonly text: string
  readonly parts: readonly string[]
}

const sentenceEnd = /(?<=[.!?]["')\]]?\s)|\n+/
/** A separate number: not the end of `cache-2048`, a date, a decimal or a part of a word. */
const ownNumber = /(?<![\w.,]|\w-)\d{3,}(?![\w-]|[.,:]\d)/g
/** Words that label the number directly after them. */
const label =
  /\b(ports?|pid|uid|issue|ticket|PR|pull request|build|run|job|id|version|timeout|limit|status|code|max|min)(?: (?:number|no\.?|is|of|to|=))?[ :=#]+/
const labels = new RegExp(`${label.source}$`, 'i')
const labeledNumber = new RegExp(`${label.source}\\d{3}`, 'i')
/** A name that may own a number: `stream-2964`, `web-server`. */
const hyphenated = /(?<![\w./-])[A-Za-z]\w*(?:-\w+)+(?![\w/-]|\.\w)/g

/**
 * Returns the values in a text, in order: names, and numbers with the label and the name in their sentence
 * (`stream-2964 port 37629`), since a number alone means nothing.
 */
export function statedValues(text: string, namesIn = allNames): StatedValue[] {
  return text.split(sentenceEnd).flatMap((sentence) => {
    const names = namesIn(sentence).map((name) => ({ text: name, parts: [name] }))
    const numbers = [...sentence.matchAll(ownNumber)].map(({ 0: number, index }) => {
      const before = sentence.slice(Math.max(0, index - maxReach), index)
      const label = labels.exec(before)?.[1]
      const owner = label === undefined ? undefined : before.match(hyphenated)?.at(-1)
      const parts = [owner, label, number].filter((part) => part !== undefined)
      return { text: parts.join(' '), parts }
    })
    return [...names, ...numbers]
  })
}

function allNames(sentence: string): string[] {
  return findIdentifiers(sentence).map(({ text }) => text)
}

/** Maximum distance of a number from its name. */
const maxReach = 200

/**
 * Returns the values that only prose contains: names that occur nowhere else in the session, including tickets, flags
 * and paths, and numbers with a label and an owner. Content of calls and files can be found again; these cannot.
 */
export function valuesOfProse(
  text: string,
  identifiers: ReadonlyMap<string, Pick<Identifier, 'kind' | 'count'>>,
): StatedValue[] {
  const isRareName = (name: string) => isRare(name, identifiers.get(name))
  const rareNames = (sentence: string) => {
    const names: string[] = []
    scanIdentifiers(sentence, (name) => {
      if (isRareName(name)) names.push(name)
    })
    return names
  }
  return statedValues(text, rareNames).filter(({ text: value, parts }) =>
    parts.length > 1 ? parts.length > 2 : isRareName(value),
  )
}

/** Whether a name occurs once in the session, and is a ticket, a flag, a path or the like. */
function isRare(name: string, known: Pick<Identifier, 'kind' | 'count'> | undefined): boolean {
  return known?.count === 1 && (known.kind !== 'symbol' || ticket.test(name))
}

const ticket = /^[A-Z][A-Z\d]{1,9}-\d{1,6}$/
