import { isWritten } from '../bundle/is-written.ts'
import { type ContextBundle, compressionRatio } from '../bundle/schema.ts'
import { valueAt, withValue } from '../bundle/section.ts'
import { itemLine, sectionEntries } from '../bundle/sections.ts'
import { TenfoldError } from '../errors.ts'
import { trailFiller } from '../plan/fill.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import { fullSize } from '../plan/trail-caps.ts'
import { rememberLines } from '../tokens/line-memo.ts'
import { shortenLines } from '../tokens/shorten-lines.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { type CountSections, sectionsCounted } from './count-bundle.ts'
import { fitCarried } from './fit-carried.ts'
import { identifierLister, type ListIdentifiers } from './identifier-list.ts'
import { trimFrontMatter } from './trim-front-matter.ts'
import { type Trimmed, trimLists } from './trim-lists.ts'

/** Share of the budget for everything except trail and identifiers; a model's statements say more than the trail. */
const listShare = (bundle: ContextBundle) => (isWritten(bundle) ? 0.65 : 0.55)

/** Minimum share of the lists even if the front matter of a small bundle has used up theirs. */
const minLists = 0.4

/** Share that lists never take from the trail: it holds the last user message. */
const minTrailShare = 0.1

/**
 * Share that is reserved for the identifiers when the trail is filled: less of a large budget, whose trail names them.
 */
const identifierShare = (whole: number) => Math.min(0.12, Math.max(0.05, 300 / whole))

/** Share of the lists in the bundle of a session that can be kept whole, if its next step does not take more. */
const listsBesideWhole = 0.1

/** Tokens of the lists in such a bundle at least: without its next step and what binds, nobody can go on from it. */
function listsAtLeast(
  { nextSteps, constraints }: ContextBundle,
  whole: number,
  counter: TokenCounter,
): number {
  const lines = [
    ...nextSteps.slice(0, 1).map((step) => itemLine('nextSteps', step)),
    ...constraints.slice(-2).map((constraint) => itemLine('constraints', constraint)),
  ]
  const tokens = lines.reduce((sum, line) => sum + counter.count(line) + headingTokens, 0)
  return Math.max(listsBesideWhole * whole, tokens)
}

const headingTokens = 8

/**
 * Fits a bundle into its budget: lists are trimmed to a share, the trail fills what is left under common caps,
 * identifiers fill the rest. Never exceeds the budget, except for the default budget of a small session if the fields
 * that the schema requires take more. Throws {@link TenfoldError} `budget-too-small` if they take more than any other
 * budget.
 */
export function fitBundle({ carried: all = [], ...draft }: ContextBundle, given: BundlePlan): ContextBundle {
  // The bundle is counted some twenty times, and each time nearly all of its sections and lines are the same.
  const counter = rememberLines(given.counter)
  const plan: FitPlan = { ...given, counter, countSections: sectionsCounted(counter) }
  if (all.length === 0) return fitOwn(draft, plan)
  const { carried, dropped, rest } = fitCarried(all, plan)
  const note = {
    code: 'carried-left-out',
    message: 'carried items were left out for the budget',
    count: dropped,
  }
  const notes = dropped === 0 ? draft.notes : [...draft.notes, note]
  const own = fitOwn({ ...draft, notes }, rest)
  if (carried.length === 0) return withTokens(own, plan)
  const bundle = withTokens({ ...own, carried }, plan)
  const { small, capped, maxTokens } = plan.budget
  return small && !capped ? bundle : dropWhileOver(bundle, maxTokens, plan)
}

/** A plan with a counter that remembers the sections it counted. */
interface FitPlan extends BundlePlan {
  readonly countSections: CountSections
}

/** Fits what a bundle says of its own session. */
function fitOwn(draft: ContextBundle, plan: FitPlan): ContextBundle {
  const { budget, counter, sized } = plan
  const whole = budget.maxTokens
  const wholeTrail = budget.whole ? fullSize(sized) : undefined
  const least = listsAtLeast(draft, whole, counter)
  const spare = wholeTrail === undefined ? 0 : whole - least - wholeTrail
  const { bundle: lean, dropped } = trimFrontMatter(shortenTexts(draft, whole, counter), (bundle) => {
    const front = frontTokens(bundle, plan)
    return front <= spare ? 0 : front / whole
  })
  const frame = tokensOf(emptyLists(lean), plan)
  const room =
    wholeTrail === undefined
      ? listRoom(frame, whole, listShare(lean))
      : Math.max(least, whole - frame - wholeTrail)
  const { bundle: base, trimmed } = trimLists(lean, room, whole, counter)
  const noted = withTrimNote(base, dropped === 0 ? trimmed : [['front matter', dropped], ...trimmed], whole)
  const list = identifierLister(plan)
  const fitted = withTrail(noted, plan, list)
  const bundle = withBandNote(fillIdentifiers(dropWhileOver(fitted, whole, plan), whole, plan, list), plan)
  if (bundle.compression.bundleTokens > whole && (budget.capped || !budget.small))
    throw tooSmall(bundle, whole)
  return bundle
}

/** Tokens that the lists may take in addition to a frame. */
function listRoom(frame: number, whole: number, share: number): number {
  const forLists = Math.max(minLists * whole, share * whole - frame)
  return Math.max(0, Math.min(forLists, (1 - minTrailShare) * whole - frame))
}

/**
 * Adds the largest trail that leaves room for the identifiers. Sizes of entries are estimates, and the trail grows in
 * steps, so trial finds the room for it: first by what was over or left, then by halving between a room that fit and
 * one that did not.
 */
function withTrail(bundle: ContextBundle, plan: FitPlan, list: ListIdentifiers): ContextBundle {
  const { budget, counter, excerpts, sized } = plan
  const most = budget.maxTokens - identifierRoom(bundle, plan, list)
  const pinned = new Set(bundle.constraints.map((constraint) => constraint.text))
  const scoreSentence = (segment: string) => (pinned.has(segment.trim()) ? -10 : plan.scoreSentence(segment))
  const fill = trailFiller(excerpts, counter, scoreSentence, sized)
  const full = fullSize(sized)
  let room = most - tokensOf(bundle, plan)
  let fits: { room: number; bundle: ContextBundle } | undefined
  // Only the room of a trail that is too large: the trail itself may take as much memory as the log's session.
  let exceeds: number | undefined
  for (let round = 0; round < maxRounds; round++) {
    const trail = fill(Math.max(0, room))
    const tried = withTokens({ ...bundle, trail }, plan)
    const left = most - tried.compression.bundleTokens
    if (left >= 0) {
      if (fits === undefined || tried.compression.bundleTokens >= fits.bundle.compression.bundleTokens)
        fits = { room, bundle: tried }
      if (left <= budget.maxTokens * goodEnough || full <= room) break
    } else if (exceeds === undefined || room < exceeds) exceeds = room
    const far = left >= 0 ? left * 0.8 : left * 1.1 - 4
    room = fits !== undefined && exceeds !== undefined ? (fits.room + exceeds) / 2 : room + far
  }
  if (fits !== undefined || exceeds === undefined) return fits?.bundle ?? bundle
  return withTokens({ ...bundle, trail: fill(Math.max(0, exceeds)) }, plan)
}

/** Tokens reserved for the identifiers: a share, or less if the log has fewer of them. */
function identifierRoom(bundle: ContextBundle, plan: BundlePlan, list: ListIdentifiers): number {
  const { budget, counter } = plan
  if (budget.whole) return 0
  const share = Math.floor(identifierShare(budget.maxTokens) * budget.maxTokens)
  return Math.min(share, counter.count(list(bundle, share).join(', ')))
}

const maxRounds = 8

/**
 * Share of the budget that the trail may leave to the identifiers in addition to theirs: they fill it to the last
 * token.
 */
const goodEnough = 0.02

function tooSmall(bundle: ContextBundle, whole: number): TenfoldError {
  return new TenfoldError(
    'budget-too-small',
    `a bundle of this session takes at least ${bundle.compression.bundleTokens} tokens, the limit is ${whole}: raise maxTokens, maxRatio or minSourceTokens`,
  )
}

/** Adds the reason to a bundle below the band. */
function withBandNote(bundle: ContextBundle, plan: FitPlan): ContextBundle {
  if (bundle.compression.band !== 'below' || bundle.notes.some((note) => note.code === 'below-band'))
    return bundle
  const all = fullSize(plan.sized) <= plan.budget.maxTokens
  const message = all
    ? 'the log holds no more text worth keeping'
    : 'the limits of the band are too close together for the sizes that excerpts can be cut to'
  const noted = withTokens({ ...bundle, notes: [...bundle.notes, { code: 'below-band', message }] }, plan)
  return dropWhileOver(noted, plan.budget.maxTokens, plan)
}

/** Sets the bundle's own size. The number counts itself, so it is raised until it is true. */
function withTokens(bundle: ContextBundle, plan: FitPlan): ContextBundle {
  const { budget } = plan
  const count = plan.countSections(bundle)
  let current = bundle
  for (let tokens = 0; ; ) {
    const band = budget.small ? 'small' : tokens < budget.minTokens ? 'below' : 'within'
    const size = { sourceTokens: budget.sourceTokens, bundleTokens: tokens }
    current = {
      ...current,
      compression: { ...current.compression, ...size, ratio: compressionRatio(size), band },
    }
    const counted = count(current)
    if (counted <= tokens) return current
    tokens = counted
  }
}

/** Free texts keep their share; they say the most in few words, so lists do not displace them. */
function shortenTexts(bundle: ContextBundle, whole: number, counter: TokenCounter): ContextBundle {
  return sectionEntries.reduce((shortened, [, section]) => {
    const text = valueAt(bundle, section.path)
    if (section.type !== 'text' || typeof text !== 'string') return shortened
    const maxTokens = Math.floor(whole * section.maxShare(whole))
    return withValue(shortened, section.path, shortenLines(text, maxTokens, counter).trim())
  }, bundle)
}

function tokensOf(bundle: ContextBundle, plan: FitPlan): number {
  return plan.countSections(bundle)(bundle)
}

function frontTokens(bundle: ContextBundle, plan: FitPlan): number {
  // Every call counts as one second: a slow provider must not cost the bundle a field.
  const calls = bundle.compression.calls.map((call) => ({ ...call, durationMs: 1000 }))
  const timed = { ...bundle, compression: { ...bundle.compression, calls } }
  return tokensOf(emptyLists({ ...timed, summary: '', resumeInstructions: '' }), plan)
}

function emptyLists(bundle: ContextBundle): ContextBundle {
  return trimLists(bundle, 0, 0, { name: 'all', count: () => 1 }).bundle
}

function withTrimNote(bundle: ContextBundle, trimmed: Trimmed, whole: number): ContextBundle {
  if (trimmed.length === 0) return bundle
  const items = trimmed.reduce((sum, [, number]) => sum + number, 0)
  const names = trimmed.map(([name, number]) => `${name} ${number}`).join(', ')
  const message =
    whole < 2000 ? `items left out for the budget: ${items}` : `left out for the budget: ${names}`
  return { ...bundle, notes: [...bundle.notes, { code: 'left-out', message }] }
}

/**
 * Last resort if the caps did not meet the budget: drops the oldest entries first, then lists from the least important.
 */
function dropWhileOver(bundle: ContextBundle, whole: number, plan: FitPlan): ContextBundle {
  let current = bundle
  while (current.compression.bundleTokens > whole && current.trail.length > 0) {
    const over = current.compression.bundleTokens - whole
    let freed = 0
    let drop = 0
    while (drop < current.trail.length && freed < over)
      freed += plan.counter.count(current.trail[drop++]?.text ?? '') + 6
    current = withTokens({ ...current, trail: current.trail.slice(drop) }, plan)
  }
  for (let share = 0.5; current.compression.bundleTokens > whole && share > 0.01; share /= 2) {
    current = withTokens(
      trimLists(
        shortenTexts(current, whole * share, plan.counter),
        whole * share,
        whole * share,
        plan.counter,
      ).bundle,
      plan,
    )
    // Dropping also removed the note on what was left out.
    const noted = withTokens({ ...current, notes: [...current.notes, cutNote] }, plan)
    if (noted.compression.bundleTokens <= whole) return noted
  }
  return current
}

const cutNote = { code: 'left-out', message: 'cut to fit the budget' }

function fillIdentifiers(
  bundle: ContextBundle,
  whole: number,
  plan: FitPlan,
  list: ListIdentifiers,
): ContextBundle {
  const room = whole - bundle.compression.bundleTokens
  let identifiers = list(bundle, Math.min(room - 8, Math.ceil(whole * 2 * identifierShare(whole))))
  while (identifiers.length > 0) {
    const filled = withTokens({ ...bundle, identifiers }, plan)
    const over = filled.compression.bundleTokens - whole
    if (over <= 0) return filled
    identifiers = identifiers.slice(0, -Math.max(1, Math.ceil(over / 4)))
  }
  return bundle
}
