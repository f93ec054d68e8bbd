import { rememberLines } from '@tenfold/tokens'
import { compressionRatio } from '../bundle/compression-schema.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { itemLine } from '../bundle/sections.ts'
import { showing } from '../bundle/shown.ts'
import { isWritten } from '../bundle/sorts.ts'
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

/** Share of the budget for everything except trail and identifiers; a model's statements are worth more than the trail. */
const listShare = (bundle: ContextBundle) => (isWritten(bundle) ? 0.65 : 0.55)

/** Minimum share of the lists, even if the front matter of a small bundle has used up their room. */
const minLists = 0.4

/** Shares that lists never take from the trail: in general, and if its last user message needs it. */
const minTrailShare = 0.1
const maxForWords = 0.2

/** Share reserved for the identifiers while the trail is filled: less of a large budget, whose trail contains them. */
const identifierShare = (whole: number) => Math.min(0.12, Math.max(0.05, 300 / whole))

/** What the Markdown of one bundle is fitted with. */
interface Fit {
  readonly plan: BundlePlan
  /** Tokens of the budget. */
  readonly whole: number
  readonly countSections: CountSections
  readonly list: ListIdentifiers
}

/**
 * Fits the Markdown of a bundle into its budget: lists are trimmed to a share, the trail fills the rest under common
 * caps, and identifiers fill what is left. Never exceeds the budget, except for the default budget of a small session
 * if the id of the bundle takes more. Throws {@link TenfoldError} `budget-too-small` if the parts of every Markdown
 * exceed any other budget.
 */
function* fitMarkdown(draft: ContextBundle, given: BundlePlan): Steps<ContextBundle> {
  // The bundle is counted about twenty times, mostly with the same sections and lines.
  const counter = rememberLines(given.counter)
  const plan = { ...given, counter }
  const countSections = sectionsCounted(counter)
  const { budget, sized } = plan
  const whole = budget.maxTokens
  const [step] = draft.nextSteps
  const forStep = step === undefined ? 0 : counter.count(`\n## Next steps\n${itemLine('nextSteps', step)}\n`)
  const short = shortenTexts(draft, whole, counter)
  const lean = trimFrontMatter(short, yield* frontShare(short, countSections, Math.max(1, whole - forStep)))
  const forWords = Math.min(maxForWords * whole, lastWordsSize(sized) / leastLastWords)
  const bare = emptyLists(lean)
  const frame = (yield* countSections(bare))(bare)
  // The next step has precedence over the last words of the user.
  const room = Math.max(listRoom(frame, whole, listShare(lean), forWords), Math.min(forStep, whole - frame))
  const trimTo = (rest: number): ContextBundle => {
    const { bundle, trimmed } = trimLists(lean, room, whole, counter, rest)
    return trimmed.length === 0 || whole < leastForNote
      ? bundle
      : withNote(bundle, `only in the JSON: ${whole < 2000 ? `${itemsIn(trimmed)} items` : namesIn(trimmed)}`)
  }
  const base = trimTo(0)
  const fit: Fit = { plan, whole, countSections, list: yield* identifierLister(plan) }
  let bundle = yield* withIdentifiers(yield* dropWhileOver(yield* withTrail(base, fit), fit), fit)
  // Tokens that trail and identifiers leave go to items that were left out, whatever the share of their list.
  const { trail, identifiers } = bundle
  for (let rest = left(bundle, whole); rest >= leastRest; rest *= 0.7) {
    const more = yield* withTokens({ ...trimTo(rest), trail, identifiers }, fit)
    if (left(more, whole) < 0) continue
    bundle = more
    break
  }
  bundle = yield* withBandNote(bundle, fit)
  const { bundleTokens } = bundle.compression
  if (bundleTokens > whole && (budget.capped || !budget.small))
    throw new TenfoldError(
      'budget-too-small',
      `a bundle of this session takes at least ${bundleTokens} tokens, the limit is ${whole}: raise maxTokens, maxRatio or minSourceTokens`,
    )
  return bundle
}

/** Minimum tokens for an item. */
const leastRest = 10

/** In a smaller Markdown, a statement is worth more than the note, and the JSON records what is left out. */
const leastForNote = 150

function left({ compression }: ContextBundle, whole: number): number {
  return whole - compression.bundleTokens
}

function withNote(bundle: ContextBundle, message: string, code = 'left-out'): ContextBundle {
  return { ...bundle, notes: [...bundle.notes, { code, message }] }
}

function itemsIn(trimmed: Trimmed): number {
  return trimmed.reduce((sum, [, items]) => sum + items, 0)
}

function namesIn(trimmed: Trimmed): string {
  return trimmed.map(([name, items]) => `${name} ${items}`).join(', ')
}

/** Returns the tokens for the lists in addition to a frame, and to a trail with the last words of the user. */
function listRoom(frame: number, whole: number, share: number, forWords: number): number {
  const forLists = Math.max(minLists * whole, share * whole - frame)
  const forTrail = Math.max(minTrailShare * whole, forWords)
  return Math.max(0, Math.min(forLists, whole - forTrail - frame))
}

/**
 * Adds the largest trail that leaves room for the identifiers. Sizes of entries are estimates, and the trail grows in
 * steps, so its room is found by trial: first by the excess or the rest, then by bisection.
 */
function* withTrail(bundle: ContextBundle, fit: Fit): Steps<ContextBundle> {
  const { plan, whole, countSections, list } = fit
  // Identifiers keep their share, or less if the log has fewer of them.
  const share = Math.floor(identifierShare(whole) * whole)
  const most = whole - Math.min(share, plan.counter.count((yield* list(bundle, share)).join(', ')))
  const fill = fillerOf(bundle, plan)
  const full = fullSize(plan.sized)
  let room = most - (yield* countSections(bundle))(bundle)
  let fits: { room: number; bundle: ContextBundle } | undefined
  // Keeps only the room of a trail that is too large, since the trail may take as much memory as the session.
  let exceeds: number | undefined
  for (let round = 0; round < maxRounds; round++) {
    const tried = yield* withTokens({ ...bundle, trail: yield* fill(Math.max(0, room)) }, fit)
    const over = -left(tried, most)
    if (over <= 0) {
      if (fits === undefined || left(tried, most) <= left(fits.bundle, most)) fits = { room, bundle: tried }
      if (-over <= whole * goodEnough || full <= room) break
    } else exceeds = Math.min(room, exceeds ?? room)
    const far = over <= 0 ? -over * 0.8 : -over * 1.1 - 4
    room = fits !== undefined && exceeds !== undefined ? (fits.room + exceeds) / 2 : room + far
  }
  if (fits !== undefined || exceeds === undefined) return fits?.bundle ?? bundle
  return yield* withTokens({ ...bundle, trail: yield* fill(Math.max(0, exceeds)) }, fit)
}

const maxRounds = 8

/** Share of the budget that the trail may leave to the identifiers in addition to theirs. */
const goodEnough = 0.02

/** Returns a function that fills a room with a session's trail. Constraints have their own list, and come last here. */
function fillerOf({ constraints }: ContextBundle, plan: BundlePlan) {
  const pinned = new Set(constraints.map(({ text }) => text))
  const scoreSentence = (segment: string) => (pinned.has(segment.trim()) ? -10 : plan.scoreSentence(segment))
  return trailFiller(plan.excerpts, plan.counter, scoreSentence, plan.sized)
}

/** Adds the reason to a bundle below the band. */
function* withBandNote(bundle: ContextBundle, fit: Fit): Steps<ContextBundle> {
  if (bundle.compression.band !== 'below' || bundle.notes.some((note) => note.code === 'below-band'))
    return bundle
  const why =
    fullSize(fit.plan.sized) <= fit.whole
      ? 'the log holds no more text worth keeping'
      : 'the limits of the band are too close together for the sizes that excerpts can be cut to'
  return yield* dropWhileOver(yield* withTokens(withNote(bundle, why, 'below-band'), fit), fit)
}

/** Sets the bundle's own size. The number is part of the bundle, so it is raised until it covers itself. */
function* withTokens(bundle: ContextBundle, { plan, countSections }: Fit): Steps<ContextBundle> {
  const { budget } = plan
  const count = yield* countSections(bundle)
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

/** Last resort if the caps exceed the budget: drops the oldest entries first, then lists from the least important. */
function* dropWhileOver(bundle: ContextBundle, fit: Fit): Steps<ContextBundle> {
  const { whole, plan } = fit
  const { counter } = plan
  let current = bundle
  while (left(current, whole) < 0 && current.trail.length > 0) {
    let over = -left(current, whole)
    let drop = 0
    while (drop < current.trail.length && over > 0)
      over -= counter.count(current.trail[drop++]?.text ?? '') + 6
    current = yield* withTokens({ ...current, trail: current.trail.slice(drop) }, fit)
  }
  for (let share = 0.5; left(current, whole) < 0 && share > 0.01; share /= 2) {
    const room = whole * share
    const { bundle: less } = trimLists(shortenTexts(current, room, counter), room, room, counter)
    current = yield* withTokens(less, fit)
    // Dropping also removed the note about omissions.
    const noted = yield* withTokens(withNote(current, 'cut to fit the budget'), fit)
    if (left(noted, whole) >= 0) return noted
  }
  return current
}

function* withIdentifiers(bundle: ContextBundle, fit: Fit): Steps<ContextBundle> {
  const { whole, list } = fit
  const room = Math.min(left(bundle, whole) - 8, Math.ceil(whole * 2 * identifierShare(whole)))
  let identifiers = yield* list(bundle, room)
  while (identifiers.length > 0) {
    const filled = yield* withTokens({ ...bundle, identifiers }, fit)
    const over = -left(filled, whole)
    if (over <= 0) return filled
    identifiers = identifiers.slice(0, -Math.max(1, Math.ceil(over / 4)))
  }
  return bundle
}

/**
 * Gives a bundle its trail, and records in `shown` what its Markdown, which is fitted to the band, contains. The bundle
 * itself keeps its lists and texts whole, up to limits that only a malicious log reaches, because nobody pays for JSON
 * by the token.
 */
export function* fitBundle(draft: ContextBundle, plan: BundlePlan): Steps<ContextBundle> {
  const { bundle: listed, trimmed } = capLists(capTexts(draft))
  const message = `more than a list keeps, the oldest are left out: ${namesIn(trimmed)}`
  const whole = trimmed.length === 0 ? listed : withNote(listed, message, 'lists-cut')
  const fitted = yield* fitMarkdown(whole, plan)
  const { sourceTokens, bundleTokens, ratio, band } = fitted.compression
  const known = new Set(whole.notes)
  const bundle = {
    ...whole,
    // The trail of the Markdown, or one that fills a brief if the band has less room.
    trail:
      plan.budget.capped || plan.budget.maxTokens >= briefTokens
        ? fitted.trail
        : yield* fillerOf(whole, plan)(briefTokens),
    identifiers: fitted.identifiers,
    compression: { ...whole.compression, sourceTokens, bundleTokens, ratio, band },
    notes: [...whole.notes, ...fitted.notes.filter((note) => !known.has(note))],
  }
  return showing(bundle, fitted)
}

/** Tokens of a usual brief, which may contain more of a small session than its Markdown. */
const briefTokens = 4000
