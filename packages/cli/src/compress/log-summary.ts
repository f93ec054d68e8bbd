import {
  bundleToMarkdown,
  type CompressedInThread,
  type ContextBundle,
  type Note,
  type SpendingLimits,
} from '@tenfold/core'
import { cleanLine, cleanText, defaultPrices } from '@tenfold/core/internal'
import { minRatioOf } from '../options/plan-options.ts'
import { storedPath } from '../store/open-store.ts'
import { inCommandWords } from '../terminal/failure.ts'
import { writeOutput } from '../terminal/replace-file.ts'
import type { CompressOptions } from './compress-options.ts'

/** The printed result of a compressed log; small, unlike the bundle. */
export type CompressedLogSummary = Awaited<ReturnType<typeof doneOf>>

export async function doneOf(
  { bundle, stored, calls, notes, sessionNotes, durationMs }: CompressedInThread,
  options: CompressOptions,
  { prices = defaultPrices }: SpendingLimits,
) {
  const { store, out, maxRatio } = options
  if (out !== undefined && out !== '-') await writeOut(out, bundle, stored?.id)
  const { source, compression, track, state, files, decisions, nextSteps, errors } = bundle
  const { counter, sourceTokens, bundleTokens, ratio, band } = compression
  return {
    ...{ track, state, compression, band, calls, prices, durationMs },
    format: source.format,
    sessionId: source.sessionId,
    title: source.title,
    events: source.events,
    tokens: { counter, source: sourceTokens, bundle: bundleTokens, ratio },
    counts: {
      files: files.length,
      decisions: decisions.length,
      nextSteps: nextSteps.length,
      openErrors: errors.filter((error) => error.resolution === undefined).length,
    },
    nextStep: nextSteps[0]?.action,
    // Of the log, also those that did not fit in the bundle, then those of the bundle.
    notes: allNotes(sessionNotes, notes, bundle),
    redacted: sessionNotes.find(({ code }) => code === 'redacted')?.count ?? 0,
    bundle: { id: bundle.id, key: stored?.key ?? null },
    ratios: { min: minRatioOf(options), max: maxRatio },
    // Undefined if nothing was written.
    path: stored && storedPath(store, stored.markdownKey),
    warning: stored?.warning && cleanText(stored.warning),
    markdown: out === '-' ? bundleToMarkdown(bundle) : undefined,
    out: out === '-' ? undefined : out,
  }
}

function allNotes(
  ofSession: readonly Note[],
  ofSummarizers: readonly Note[],
  bundle: ContextBundle,
): ContextBundle['notes'] {
  const whole = [
    ...ofSession,
    ...ofSummarizers.map((note) => ({ ...note, message: inCommandWords(note.message) })),
  ].map(({ file, ...note }) => ({
    ...note,
    message: cleanLine(note.message),
    ...(file !== undefined && { file: cleanLine(file) }),
  }))
  const isWhole = (note: ContextBundle['notes'][number]): boolean =>
    whole.some(({ code, line }) => code === note.code && line === note.line)
  return [...whole, ...bundle.notes.filter((note) => !isWhole(note))]
}

/**
 * Writes a bundle to a file, as JSON if its name ends so, otherwise as Markdown. Throws TenfoldError `out-failed`, which
 * says that the bundle is saved if it is.
 */
export async function writeOut(
  path: string,
  bundle: ContextBundle,
  saved: string | undefined,
): Promise<void> {
  const isJson = /\.json$/i.test(path)
  const text = isJson ? `${JSON.stringify(bundle, null, 2)}\n` : bundleToMarkdown(bundle)
  const after = saved === undefined ? '' : `; bundle ${saved} was still saved in the store`
  await writeOutput(path, [text], { what: 'The bundle', after, inFolder: true })
}
