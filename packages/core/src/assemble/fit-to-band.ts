import { rememberLines } from '@tenfold/tokens'
import { compressionRatio } from '../bundle/compression-schema.ts'
import { isWritten } from '../bundle/is-written.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { itemLine } from '../bundle/sections.ts'
import { showing } from '../bundle/shown.ts'
import { TenfoldError } from '../errors.ts'
import { trailFiller } from '../plan/fill.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import { fullSize, lastWordsSize, leastLastWords } from '../plan/trail-caps.ts'
import type { Steps } from '../session/pauses.ts'
import { type CountSections, sectionsCounted } from './count-bundle.ts'
import { identifierLister, type ListIdentifiers } from './identifier-list.ts'
import {
  capLists,
  capTexts,
  emptyLists,
  frontShare,
  shortenTexts,
  type Trimmed,
  trimFrontMatter,
  trimLists,
} from './trim-lists.ts'

/** Share of the budget for everything except trail and identifiers; a model's statements say more than the trail. */
const listShare = (bundle: ContextBundle) => (isWritten(bundle) ? 0.65 : 0.55)

/** Minimum share of the lists even if the front matter of a small bundle has used up theirs. */
const minLists = 0.4

/** Shares that lists never take from the trail: of any, and of one whose last user message needs it. */
const minTrailShare = 0.1
const maxForWords = 0.2

/**
 * Share that is reserved for the identifiers when the trail is filled: less of a large budget, whose trail names them.
 */
const identifierShare = (whole: number) => Math.min(0.12, Math.max(0.05, 300 / whole))

/** A plan with a counter that remembers the sections it counted. */
interface FitPlan extends BundlePlan {
  readonly countSections: CountSections
}

/**
 * Fits the Markdown of a bundle into its budget: lists are trimmed to a share, the trail fills what is left under common
 * caps, identifiers fill the rest. Never exceeds the budget, except for the default budget of a small session if the id
 * of the bundle takes more. Throws {@link TenfoldError} `budget-too-small` if what every Markdown has takes more than any
 * other budget.
 */
function* fitMarkdown(draft: ContextBundle, given: BundlePlan): Steps<ContextBundle> {
  // The bundle is counted some twenty times, and each time nearly all of its sections and lines are the same.
  const counter = rememberLines(given.counter)
  const plan: FitPlan = { ...given, counter, countSections: sectionsCounted(counter) }
  const { budget } = plan
  const whole = budget.maxTokens
  const [step] = draft.nextSteps
  const forStep = step === undefined ? 0 : counter.count(`\n## Next steps\n${itemLine('nextSteps', step)}\n`)
  const short = shortenTexts(draft, whole, counter)
  const lean = trimFrontMatter(
    short,
    yield* frontShare(short, plan.countSections, Math.max(1, whole - forStep)),
  )
  const forWords = Math.min(maxForWords * whole, lastWordsSize(plan.sized) / leastLastWords)
  const frame = yield* tokensOf(emptyLists(lean), plan)
  // The step comes before the last words of the user.
  const room = Math.max(listRoom(frame, whole, listShare(lean), forWords), Math.min(forStep, whole - frame))
  const { bundle: base, trimmed } = trimLists(lean, room, whole, counter)
  const list = yield* identifierLister(plan)
  const fitted = yield* withTrail(withTrimNote(base, trimmed, whole), plan, list)
  const dropped = yield* dropWhileOver(fitted, whole, plan)
  const filled = yield* fillIdentifiers(dropped, whole, plan, list)
  const bundle = yield* withBandNote(yield* useRest(filled, lean, room, plan), plan)
  if (bundle.compression.bundleTokens > whole && (budget.capped || !budget.small))
    throw new TenfoldError(
      'budget-too-small',
      `a bundle of this session takes at least ${bundle.compression.bundleTokens} tokens, the limit is ${whole}: raise maxTokens, maxRatio or minSourceTokens`,
    )
  return bundle
}

/** Gives the room that trail and identifiers left to items that were left out, whatever share their list has. */
function* useRest(
  bundle: ContextBundle,
  lean: ContextBundle,
  room: number,
  plan: FitPlan,
): Steps<ContextBundle> {
  const { budget, counter } = plan
  const { trail, identifiers } = bundle
  for (let rest = budget.maxTokens - bundle.compression.bundleTokens; rest >= leastRest; rest *= 0.7) {
    const { bundle: more, trimmed } = trimLists(lean, room, budget.maxTokens, counter, rest)
    const noted = withTrimNote({ ...more, trail, identifiers }, trimmed, budget.maxTokens)
    const tried = yield* withTokens(noted, plan)
    if (tried.compression.bundleTokens <= budget.maxTokens) return tried
  }
  return bundle
}

/** Fewer tokens hold no item. */
const leastRest = 10

/** Tokens that the lists may take in addition to a frame, and to the trail that holds the last words of the user. */
function listRoom(frame: number, whole: number, share: number, forWords: number): number {
  const forLists = Math.max(minLists * whole, share * whole - frame)
  const forTrail = Math.max(minTrailShare * whole, forWords)
  return Math.max(0, Math.min(forLists, whole - forTrail - frame))
}

/**
 * Adds the largest trail that leaves room for the identifiers. Sizes of entries are estimates, and the trail grows in
 * steps, so trial finds the room for it: first by what was over or left, then by halving between a room that fit and
 * one that did not.
 */
function* withTrail(bundle: ContextBundle, plan: FitPlan, list: ListIdentifiers): Steps<ContextBundle> {
  const { budget } = plan
  const most = budget.maxTokens - (yield* identifierRoom(bundle, plan, list))
  const fill = fillerOf(bundle, plan)
  const full = fullSize(plan.sized)
  let room = most - (yield* tokensOf(bundle, plan))
  let fits: { room: number; bundle: ContextBundle } | undefined
  // Only the room of a trail that is too large: the trail itself may take as much memory as the log's session.
  let exceeds: number | undefined
  for (let round = 0; round < maxRounds; round++) {
    const trail = yield* fill(Math.max(0, room))
    const tried = yield* withTokens({ ...bundle, trail }, plan)
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
  return yield* withTokens({ ...bundle, trail: yield* fill(Math.max(0, exceeds)) }, plan)
}

/** Fills rooms with the trail of a session; what binds is a list of its own, and comes last in it. */
function fillerOf({ constraints }: ContextBundle, plan: BundlePlan) {
  const pinned = new Set(constraints.map(({ text }) => text))
  const scoreSentence = (segment: string) => (pinned.has(segment.trim()) ? -10 : plan.scoreSentence(segment))
  return trailFiller(plan.excerpts, plan.counter, scoreSentence, plan.sized)
}

/** Tokens reserved for the identifiers: a share, or less if the log has fewer of them. */
function* identifierRoom(bundle: ContextBundle, plan: BundlePlan, list: ListIdentifiers): Steps<number> {
  const { budget, counter } = plan
  const share = Math.floor(identifierShare(budget.maxTokens) * budget.maxTokens)
  return Math.min(share, counter.count((yield* list(bundle, share)).join(', ')))
}

const maxRounds = 8

/** Share of the budget that the trail may leave to the identifiers in addition to theirs: they fill it. */
const goodEnough = 0.02

/** Adds the reason to a bundle below the band. */
function* withBandNote(bundle: ContextBundle, plan: FitPlan): Steps<ContextBundle> {
  if (bundle.compression.band !== 'below' || bundle.notes.some((note) => note.code === 'below-band'))
    return bundle
  const all = fullSize(plan.sized) <= plan.budget.maxTokens
  const message = all
    ? 'the log holds no more text worth keeping'
    : 'the limits of the band are too close together for the sizes that excerpts can be cut to'
  const noted = yield* withTokens(
    { ...bundle, notes: [...bundle.notes, { code: 'below-band', message }] },
    plan,
  )
  return yield* dropWhileOver(noted, plan.budget.maxTokens, plan)
}

/** Sets the bundle's own size. The number counts itself, so it is raised until it is true. */
function* withTokens(bundle: ContextBundle, plan: FitPlan): Steps<ContextBundle> {
  const { budget } = plan
  const count = yield* plan.countSections(bundle)
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

function* tokensOf(bundle: ContextBundle, plan: FitPlan): Steps<number> {
  return (yield* plan.countSections(bundle))(bundle)
}

/** In a smaller Markdown a statement says more than the note, and the JSON says what is left out. */
const leastForNote = 150

function withTrimNote(bundle: ContextBundle, trimmed: Trimmed, whole: number): ContextBundle {
  if (trimmed.length === 0 || whole < leastForNote) return bundle
  const items = trimmed.reduce((sum, [, number]) => sum + number, 0)
  const names = trimmed.map(([name, number]) => `${name} ${number}`).join(', ')
  const message = `only in the JSON: ${whole < 2000 ? `${items} items` : names}`
  return { ...bundle, notes: [...bundle.notes, { code: 'left-out', message }] }
}

/**
 * Last resort if the caps did not meet the budget: drops the oldest entries first, then lists from the least important.
 */
function* dropWhileOver(bundle: ContextBundle, whole: number, plan: FitPlan): Steps<ContextBundle> {
  let current = bundle
  while (current.compression.bundleTokens > whole && current.trail.length > 0) {
    const over = current.compression.bundleTokens - whole
    let freed = 0
    let drop = 0
    while (drop < current.trail.length && freed < over)
      freed += plan.counter.count(current.trail[drop++]?.text ?? '') + 6
    current = yield* withTokens({ ...current, trail: current.trail.slice(drop) }, plan)
  }
  for (let share = 0.5; current.compression.bundleTokens > whole && share > 0.01; share /= 2) {
    current = yield* withTokens(
      trimLists(
        shortenTexts(current, whole * share, plan.counter),
        whole * share,
        whole * share,
        plan.counter,
      ).bundle,
      plan,
    )
    // Dropping also removed the note on what was left out.
    const noted = yield* withTokens({ ...current, notes: [...current.notes, cutNote] }, plan)
    if (noted.compression.bundleTokens <= whole) return noted
  }
  return current
}

const cutNote = { code: 'left-out', message: 'cut to fit the budget' }

function* fillIdentifiers(
  bundle: ContextBundle,
  whole: number,
  plan: FitPlan,
  list: ListIdentifiers,
): Steps<ContextBundle> {
  const room = whole - bundle.compression.bundleTokens
  let identifiers = yield* list(bundle, Math.min(room - 8, Math.ceil(whole * 2 * identifierShare(whole))))
  while (identifiers.length > 0) {
    const filled = yield* withTokens({ ...bundle, identifiers }, plan)
    const over = filled.compression.bundleTokens - whole
    if (over <= 0) return filled
    identifiers = identifiers.slice(0, -Math.max(1, Math.ceil(over / 4)))
  }
  return bundle
}

/**
 * Gives a bundle its trail, and says in `shown` what its Markdown, which is fitted to the band, holds of it. The bundle
 * itself keeps its lists and texts whole, up to limits that only a log made for it reaches: nobody pays for JSON by
 * the token.
 */
export function* fitBundle(draft: ContextBundle, plan: BundlePlan): Steps<ContextBundle> {
  const { bundle: listed, trimmed } = capLists(capTexts(draft))
  const whole = { ...listed, notes: [...listed.notes, ...capNotes(trimmed)] }
  const fitted = yield* fitMarkdown(whole, plan)
  const { sourceTokens, bundleTokens, ratio, band } = fitted.compression
  const known = new Set(whole.notes)
  const bundle = {
    ...whole,
    trail: yield* trailOf(whole, fitted, plan),
    identifiers: fitted.identifiers,
    compression: { ...whole.compression, sourceTokens, bundleTokens, ratio, band },
    notes: [...whole.notes, ...fitted.notes.filter((note) => !known.has(note))],
  }
  return showing(bundle, fitted)
}

/** Tokens of a usual brief: that of a small session may say more than its Markdown. */
const briefTokens = 4000

/** The trail of the Markdown, or one that fills a brief if the band has less room. */
function* trailOf(
  whole: ContextBundle,
  fitted: ContextBundle,
  plan: BundlePlan,
): Steps<ContextBundle['trail']> {
  const { maxTokens, capped } = plan.budget
  return capped || maxTokens >= briefTokens ? fitted.trail : yield* fillerOf(whole, plan)(briefTokens)
}

function capNotes(trimmed: Trimmed): ContextBundle['notes'] {
  const names = trimmed.map(([name, number]) => `${name} ${number}`).join(', ')
  const message = `more than a list keeps, the oldest are left out: ${names}`
  return trimmed.length === 0 ? [] : [{ code: 'lists-cut', message }]
}
