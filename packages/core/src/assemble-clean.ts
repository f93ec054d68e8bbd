import type { Redaction } from '@tenfold/redact'
import { type AssembleOptions, assemblySteps } from './assemble/assemble-bundle.ts'
import type { ContextBundle } from './bundle/schema.ts'
import { TenfoldError } from './errors.ts'
import { type PreparedSession, type PrepareOptions, prepareSession } from './prepare-log.ts'
import { leakSteps } from './redact/find-leaks.ts'
import { redactSession } from './redact/redact-session.ts'
import { atOnce, type Steps } from './session/pauses.ts'
import type { SummarizedPlan } from './summarize/summarize-plan.ts'

const maxRounds = 5

/**
 * Assembles a bundle without secrets. A model can spell a secret differently from the log, and a cut can expose one:
 * any secret found in the finished bundle is removed from session and summary, and the bundle is made again, so that
 * its size stays exact. Throws TenfoldError `secret-left` if secrets remain after the last pass.
 */
export function assembleClean(
  prepared: PreparedSession & { readonly redaction: Redaction },
  summarized: SummarizedPlan,
  options: AssembleOptions & Omit<PrepareOptions, 'previous'>,
): PreparedSession & { readonly bundle: ContextBundle } {
  return atOnce(cleanSteps(prepared, summarized, options))
}

/** {@link assembleClean} in steps that can pause. */
export function* cleanSteps(
  prepared: PreparedSession & { readonly redaction: Redaction },
  summarized: SummarizedPlan,
  options: AssembleOptions & Omit<PrepareOptions, 'previous'>,
): Steps<PreparedSession & { readonly bundle: ContextBundle }> {
  const { redaction } = prepared
  let current: PreparedSession = prepared
  for (let round = 0; round < maxRounds; round++) {
    const task = options.task === undefined ? {} : { task: redaction.redact(options.task) }
    // The earlier bundle that the memory comes from may have been made without this redactor.
    const memory = options.memory === undefined ? {} : { memory: redaction.redactValue(options.memory) }
    const summary = redaction.redactValue(summarized)
    const bundle = yield* assemblySteps(current.plan, summary, { ...options, ...task, ...memory })
    yield
    if ((yield* leakSteps(bundle, redaction)).leaks === 0) return { ...current, bundle }
    current = prepareSession(redactSession(current.session, redaction), options)
  }
  throw new TenfoldError(
    'secret-left',
    `After ${maxRounds} passes the bundle still contains what looks like a secret; it was not saved. Add a pattern for it, or switch redaction off.`,
  )
}
