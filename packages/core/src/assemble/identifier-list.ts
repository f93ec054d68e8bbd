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

/** Lists identifiers of a session that a bundle of it does not hold yet. */
export type ListIdentifiers = (bundle: ContextBundle, maxTokens: number) => Steps<string[]>

/**
 * Lists identifiers of the log that the bundle does not hold yet, the most important first, up to `maxTokens`: first
 * what the user gave, then what the agent said and nothing else shows, then names that the agent itself used often and
 * late, short ones before long ones. Later work needs them, and a search of the archived log can start from them. Reads
 * the session once.
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

/** Of a value and its comma. */
const leastTokens = 2

/** Names that occur more than once, the most important first. */
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

/** The tools that the agent called, and their arguments. They belong to the harness, not to the work. */
function namesOfTools({ session }: BundlePlan): Set<string> {
  return new Set(
    session.events.flatMap((event) =>
      event.type === 'tool_call' ? [event.name, ...Object.keys(json.fields(event.input))] : [],
    ),
  )
}

/** More than any list holds: their tokens are counted. */
const maxCandidates = 2000

function byWorth(a: { text: string; worth: number }, b: { text: string; worth: number }): number {
  return b.worth - a.worth || (a.text < b.text ? -1 : 1)
}

/** Share of the list for what only the agent's words hold: names that it works with are needed more often. */
const saidShare = 0.15

/** Tokens that it may take at least: in a small session most values are said once. */
const leastSaid = 40

function uniqueValues(values: readonly StatedValue[]): StatedValue[] {
  return [...new Map(values.map((value) => [value.text, value])).values()]
}

function isHeld({ parts }: StatedValue, held: ReadonlySet<string>, lines: () => readonly string[]): boolean {
  if (!parts.every((part) => held.has(part))) return false
  return parts.length === 1 || lines().some((line) => parts.every((part) => line.includes(part)))
}

/**
 * What a reader of the bundle sees of the session, in pieces cut between lines, without the id, times, sizes and digests
 * of its front matter.
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

/** One use in the agent's own words or input counts as much as this many in tool output. */
const ownWeight = 4

/** Values in the user's words, the last ones first. */
function* givenByUser({ session }: BundlePlan): Steps<StatedValue[]> {
  const values: StatedValue[] = []
  for (const event of session.events.toReversed()) {
    if (event.type !== 'user' || event.copied) continue
    for (const value of statedValues(cleanText(event.text))) if (value.text.length <= 120) values.push(value)
    yield
  }
  return values
}

/** Values in the agent's words that nothing else in the session shows, the last ones first. */
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
 * The parts of `sessions.find` are names themselves and are found separately. An option that only printed text shows is
 * worth nothing: the banner of a program lists many that nobody uses.
 */
function worthOfKind({ kind, text }: Pick<Identifier, 'kind' | 'text'>, own: number): number {
  if (kind === 'flag' && own === 0) return 0
  return kindWorth[kind] * (kind === 'symbol' && text.includes('.') ? 0.5 : 1)
}

/** A value that a text states: as it is listed, and the parts that a line must have to hold it. */
interface StatedValue {
  readonly text: string
  readonly parts: readonly string[]
}

const sentenceEnd = /(?<=[.!?]["')\]]?\s)|\n+/
/** A number of its own: not the end of `cache-2048`, a date, a decimal or a part of a word. */
const ownNumber = /(?<![\w.,]|\w-)\d{3,}(?![\w-]|[.,:]\d)/g
/** Words that a number directly after them is the value of. */
const label =
  /\b(ports?|pid|uid|issue|ticket|PR|pull request|build|run|job|id|version|timeout|limit|status|code|max|min)(?: (?:number|no\.?|is|of|to|=))?[ :=#]+/
const labels = new RegExp(`${label.source}$`, 'i')
const labeledNumber = new RegExp(`${label.source}\\d{3}`, 'i')
/** A name that a number may belong to: `stream-2964`, `web-server`. */
const hyphenated = /(?<![\w./-])[A-Za-z]\w*(?:-\w+)+(?![\w/-]|\.\w)/g

/**
 * The values in a text, in order: names, and numbers, each with the word and the name in its sentence that say what it
 * is (`stream-2964 port 37629`), since a number alone says nothing.
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

/** Longest distance of a number from the name that it belongs to. */
const maxReach = 200

/**
 * The values that only prose holds: names that occur nowhere else in the session, tickets, flags and paths among them,
 * and numbers that have a label and an owner. What a call or a file shows can be found again; these cannot.
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

/** Whether a name occurs once in the session, and is a ticket, a flag, a path and the like. */
function isRare(name: string, known: Pick<Identifier, 'kind' | 'count'> | undefined): boolean {
  return known?.count === 1 && (known.kind !== 'symbol' || ticket.test(name))
}

const ticket = /^[A-Z][A-Z\d]{1,9}-\d{1,6}$/
