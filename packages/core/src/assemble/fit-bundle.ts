import type { ContextBundle } from '../bundle/schema.ts'
import { showing } from '../bundle/shown.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import type { Steps } from '../session/pauses.ts'
import { fillerOf, fitMarkdown } from './fit-to-band.ts'
import { capLists, type Trimmed } from './trim-lists.ts'
import { capTexts } from './trim-texts.ts'

/**
 * Gives a bundle its trail, and says in `shown` what its Markdown, which is fitted to the band, holds of it. The bundle
 * itself keeps its lists and texts whole, up to limits that only a log made for it reaches: nobody pays for JSON by
 * the token.
 */
export function* fitBundle(draft: ContextBundle, plan: BundlePlan): Steps<ContextBundle> {
  const { bundle: listed, trimmed } = capLists(capTexts(draft))
  const whole = { ...listed, notes: [...listed.notes, ...capNotes(trimmed)] }
  const fitted = yield* fitMarkdown(whole, plan)
  yield
  const { sourceTokens, bundleTokens, ratio, band } = fitted.compression
  const known = new Set(whole.notes)
  const bundle = {
    ...whole,
    trail: trailOf(whole, fitted, plan),
    identifiers: fitted.identifiers,
    compression: { ...whole.compression, sourceTokens, bundleTokens, ratio, band },
    notes: [...whole.notes, ...fitted.notes.filter((note) => !known.has(note))],
  }
  return showing(bundle, fitted)
}

/** Tokens of a brief of the usual size: that of a small session may say more than its Markdown. */
const briefTokens = 4000

/** The trail of the Markdown, or one that fills a brief if the band has less room. */
function trailOf(whole: ContextBundle, fitted: ContextBundle, plan: BundlePlan): ContextBundle['trail'] {
  const { maxTokens, capped } = plan.budget
  return capped || maxTokens >= briefTokens ? fitted.trail : fillerOf(whole, plan)(briefTokens)
}

function capNotes(trimmed: Trimmed): ContextBundle['notes'] {
  const names = trimmed.map(([name, number]) => `${name} ${number}`).join(', ')
  const message = `more than a list keeps, the oldest are left out: ${names}`
  return trimmed.length === 0 ? [] : [{ code: 'lists-cut', message }]
}
