import type { ContextBundle } from '../bundle/schema.ts'
import { itemsAt, type Section, valueAt, withItems, withValue } from '../bundle/section.ts'
import { isStatementKey, lineOf, type SectionKey, sectionEntries } from '../bundle/sections.ts'
import { isWritten } from '../bundle/sorts.ts'
import { cutHead } from '../session/cut-text.ts'
import type { Steps } from '../session/pauses.ts'
import { shortenLines } from '../tokens/shorten-lines.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import type { CountSections } from './count-bundle.ts'
import { type TrimRule, textShare, trimRules } from './trim-rules.ts'

/** Part of its share up to which a list shows items in full; the rest is more useful to the trail. */
const fullShare = 0.6

/**
 * Share of a bundle for the statements of a model. It was asked for 0.3 of the bundle; event ids are added, and further
 * statements are worth more than the lists of files and commands, which get their minimum first.
 */
const statementShare = 0.6

/** Rules of all lists, the most important first. */
const rules = sectionEntries
  .flatMap(([key, section]) => (trimRules[key] ?? []).map((rule) => ({ key, section, rule })))
  .sort((a, b) => a.rule.rank - b.rule.rank)

/** Items that were left out, for a note: list name and number of items. */
export type Trimmed = readonly (readonly [name: string, items: number])[]

/**
 * Shortens the lists of a bundle to at most `budget` tokens, each to no more than its share of `whole`. First each list
 * gets its `first` and then its `least`, then the statements of a model are served, and then the most important lists.
 * If not all items of a list fit, they take their short form, the least important are dropped, and the remaining room
 * restores the full form of the first ones. `rest` is the number of tokens for items beyond the shares.
 */
export function trimLists(
  bundle: ContextBundle,
  budget: number,
  whole: number,
  counter: TokenCounter,
  rest = 0,
): { bundle: ContextBundle; trimmed: Trimmed } {
  const lists = rules.flatMap((rule) => listOf(rule, bundle, counter))
  let left = budget
  for (const list of lists) left -= grow(list, left, list.rule.first ?? 0)
  for (const list of lists) {
    const { least = 0 } = list.rule
    left -= grow(list, left, Math.min(1, least))
    left -= grow(list, Math.min(left, roomOf(list.rule, whole) - list.size), least)
  }
  if (isWritten(bundle)) left -= serveStatements(lists, left, statementShare * whole)
  for (const list of lists) {
    const room = roomOf(list.rule, whole)
    left -= grow(list, Math.min(left, room - list.size))
    left -= restore(list, Math.min(left, fullShare * room - list.size))
  }
  left = rest
  for (const list of lists) left -= grow(list, left)
  for (const list of lists) left -= restore(list, left)
  return withLists(bundle, lists)
}

/**
 * Cuts lists to sizes that no usual session exceeds, because a log may be made to fill them. Their rules decide which
 * items stay.
 */
export function capLists(bundle: ContextBundle): { bundle: ContextBundle; trimmed: Trimmed } {
  const characters: TokenCounter = { name: 'characters', count: (text) => text.length }
  const lists = rules.flatMap((rule) => listOf(rule, bundle, characters))
  for (const list of lists) {
    grow(list, maxCharacters, maxItems)
    restore(list, maxCharacters - list.size)
  }
  return withLists(bundle, lists)
}

/** Maximum items of a list, and maximum characters in Markdown. */
const maxItems = 1000
const maxCharacters = 200_000

/** Returns a bundle without the items that {@link trimLists} may leave out. */
export function emptyLists(bundle: ContextBundle): ContextBundle {
  return rules.reduce(
    (rest, { section: { path }, rule }) =>
      withItems(
        rest,
        path,
        itemsAt(rest, path).filter((item) => !(rule.only?.(item as never) ?? true)),
      ),
    bundle,
  )
}

function withLists(
  bundle: ContextBundle,
  lists: readonly List[],
): { bundle: ContextBundle; trimmed: Trimmed } {
  const forms = new Map(lists.flatMap(({ chosen }) => [...chosen]))
  const paths = new Set(lists.map(({ section }) => section.path))
  const kept = [...paths].reduce(
    (rest, path) =>
      withItems(
        rest,
        path,
        itemsAt(bundle, path).flatMap((item) => forms.get(item) ?? []),
      ),
    bundle,
  )
  const trimmed = lists
    .map(({ name, items, chosen }) => [name, items.length - chosen.size] as const)
    .filter(([, dropped]) => dropped > 0)
  return { bundle: kept, trimmed }
}

/** A list while it is filled: its items in order of importance, the chosen ones with their form, and their tokens. */
interface List {
  readonly key: SectionKey
  readonly section: Section
  readonly rule: TrimRule<never>
  readonly name: string
  readonly items: readonly unknown[]
  readonly chosen: Map<unknown, unknown>
  readonly sizeOf: (item: unknown) => number
  size: number
}

function listOf(
  { key, section, rule }: (typeof rules)[number],
  bundle: ContextBundle,
  counter: TokenCounter,
): List[] {
  const items = itemsAt(bundle, section.path).filter((item) => rule.only?.(item as never) ?? true)
  if (items.length === 0) return []
  return [
    {
      key,
      section,
      rule,
      name: rule.name ?? section.title.toLowerCase(),
      items: rule.keeps === 'first' || (rule.ranked && isWritten(bundle)) ? items : items.toReversed(),
      chosen: new Map(),
      sizeOf: (item) => counter.count(`${lineOf(section, item)}\n`),
      size: 0,
    },
  ]
}

/**
 * Gives the statements of a model room up to a limit, of which no list gets more than half before all others had
 * theirs. Constraints have their own rule, since most were found by code. Returns the tokens used.
 */
function serveStatements(lists: readonly List[], left: number, limit: number): number {
  const statements = lists.filter(({ key }) => isStatementKey(key) && key !== 'constraints')
  const sum = () => statements.reduce((tokens, { size }) => tokens + size, 0)
  const before = sum()
  const room = () => Math.min(left + before, limit) - sum()
  for (const most of [limit / 2, limit])
    for (const list of statements) grow(list, Math.min(room(), most - list.size))
  for (const list of statements) restore(list, room())
  return sum() - before
}

/** Returns the tokens that a list may take of a whole budget. */
function roomOf({ share }: TrimRule<never>, whole: number): number {
  return (typeof share === 'number' ? share : share(whole)) * whole
}

/** Adds items in their short form, up to a number of them, while there is room. Returns the tokens used. */
function grow(list: List, room: number, most = Number.POSITIVE_INFINITY): number {
  const { rule, items, chosen, sizeOf } = list
  const before = list.size
  while (chosen.size < Math.min(most, items.length)) {
    const item = items[chosen.size]
    const short = rule.short?.(item as never) ?? item
    const tokens = sizeOf(short) + (list.size === 0 ? headingTokens : 0)
    if (list.size - before + tokens > room) break
    chosen.set(item, short)
    list.size += tokens
  }
  return list.size - before
}

/** Restores the full form of items while there is room, the first ones first. Returns the tokens used. */
function restore(list: List, room: number): number {
  const before = list.size
  for (const [item, short] of list.chosen) {
    const longer = short === item ? 0 : list.sizeOf(item) - list.sizeOf(short)
    if (list.size - before + longer > room) break
    list.size += longer
    list.chosen.set(item, item)
  }
  return list.size - before
}

const headingTokens = 4

/** Free texts keep their share, because they are the densest. */
export function shortenTexts(bundle: ContextBundle, whole: number, counter: TokenCounter): ContextBundle {
  return withTexts(bundle, (text, key) => {
    const maxTokens = Math.floor(whole * textShare(key, whole))
    return maxTokens < leastText ? '' : shortenLines(text, maxTokens, counter)
  })
}

function withTexts(bundle: ContextBundle, shorten: (text: string, key: SectionKey) => string): ContextBundle {
  return sectionEntries.reduce((shortened, [key, section]) => {
    const text = valueAt(bundle, section.path)
    if (section.type !== 'text' || typeof text !== 'string') return shortened
    return withValue(shortened, section.path, shorten(text, key).trim())
  }, bundle)
}

/** A text cut to fewer tokens is useless. */
const leastText = 24

/** Maximum characters of a text in the JSON. */
const maxText = 20_000

/** Cuts texts to a length that no usual summary exceeds. */
export function capTexts(bundle: ContextBundle): ContextBundle {
  return withTexts(bundle, (text) => cutHead(text, maxText))
}

/**
 * Keys of front matter that the Markdown of a small bundle leaves out, the least useful first, each with the share of
 * the budget that the front matter may exceed only without it. The JSON has them all.
 */
const drops: readonly (readonly [share: number, ...keys: string[]])[] = [
  [0.12, 'prompt'],
  [0.12, 'agent-version'],
  [0.16, 'current'],
  [0.2, 'usage'],
  [0.2, 'started'],
  [0.2, 'model'],
  [0.3, 'summarizer', 'band', 'read'],
  [1 / 3, 'phase'],
  [0.4, 'events'],
  [0.4, 'sha256'],
  [0.45, 'session'],
  [0.45, 'log', 'format'],
  [0.5, 'tokens'],
  [0.5, 'branch', 'head', 'dirty'],
  [0.5, 'spent', 'cost', 'summarizer-model', 'unverified', 'fallback'],
  [0.5, 'ended'],
  [0.5, 'cwd'],
  [0.5, 'task', 'previous', 'track'],
  [0.5, 'title'],
]

/** The list of calls is not front matter, but cannot be trimmed either. */
const callsShare = 0.8

/** Returns the share of `room` for a bundle's front matter, without the keys omitted by `shown`. */
export function* frontShare(
  bundle: ContextBundle,
  countSections: CountSections,
  room: number,
): Steps<(lean: ContextBundle) => number> {
  // Every call counts as one second, so that a slow provider does not cost the bundle a field.
  const calls = bundle.compression.calls.map((call) => ({ ...call, durationMs: 1000 }))
  const timed = { ...bundle, compression: { ...bundle.compression, calls } }
  const empty = emptyLists({ ...timed, summary: '', resumeInstructions: '' })
  const count = yield* countSections(empty)
  return ({ shown }) => count({ ...empty, ...(shown && { shown }) }) / room
}

/**
 * Leaves out front matter of a bundle with little room, while `frontShare`, its share of the budget, exceeds the limit
 * of a key.
 */
export function trimFrontMatter(
  bundle: ContextBundle,
  frontShare: (bundle: ContextBundle) => number,
): ContextBundle {
  let lean = bundle
  let share = frontShare(lean)
  for (const [most, ...keys] of drops) {
    if (share <= most) continue
    lean = { ...lean, shown: { without: [...(lean.shown?.without ?? []), ...keys] } }
    share = frontShare(lean)
  }
  if (share <= callsShare) return lean
  return { ...lean, compression: { ...lean.compression, calls: [] } }
}
