import type * as z from 'zod/mini'
import { InvalidBundleError } from '../errors.ts'
import * as json from '../session/json.ts'
import { atOnce, type Steps } from '../session/pauses.ts'
import { bundleSchema, type ContextBundle } from './schema.ts'
import { asShown } from './shown.ts'

/**
 * Checks a value against the schema. Throws {@link InvalidBundleError} that names each invalid field, or reports that a
 * newer version wrote the bundle.
 */
export function parseBundle(value: unknown): ContextBundle {
  return atOnce(parsingSteps(value))
}

export function* parsingSteps(value: unknown): Steps<ContextBundle> {
  refuseNewer(value)
  const whole = yield* checkSteps(value)
  const shown = whole.issues.length === 0 ? shownOf(whole.bundle) : undefined
  const issues = shown === undefined ? whole.issues : (yield* checkSteps(shown)).issues
  if (issues.length === 0) return whole.bundle
  const messages = issues.map(({ path, message }) => `${path.join('.') || 'bundle'}: ${message}`)
  throw new InvalidBundleError(`not a valid context bundle: ${messages.slice(0, 5).join('; ')}`, messages)
}

const maxItems = 500

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'>

/** Checks the bundle without its long lists, then these lists piece by piece. */
function* checkSteps(value: unknown): Steps<{ readonly bundle: ContextBundle; readonly issues: Issue[] }> {
  const fields = json.fields(value)
  const long = (Object.keys(bundleSchema.shape) as (keyof typeof bundleSchema.shape)[]).filter(
    (key) => Array.isArray(fields[key]) && fields[key].length > maxItems,
  )
  const emptied =
    long.length === 0 ? value : { ...fields, ...Object.fromEntries(long.map((key) => [key, []])) }
  const { data, error } = bundleSchema.safeParse(emptied)
  const issues: Issue[] = [...(error?.issues ?? [])]
  const lists: Record<string, unknown[]> = {}
  for (const key of long) {
    const items = fields[key] as unknown[]
    const checked: unknown[] = []
    for (let start = 0; start < items.length; start += maxItems) {
      yield
      const part = bundleSchema.shape[key].safeParse(items.slice(start, start + maxItems))
      for (const item of (part.data ?? []) as unknown[]) checked.push(item)
      for (const { path, message } of part.error?.issues ?? [])
        issues.push({ path: [key, start + Number(path[0]), ...path.slice(1)], message })
    }
    lists[key] = checked
  }
  return { bundle: { ...data, ...lists } as ContextBundle, issues }
}

/**
 * Returns the bundle that the Markdown shows, if it differs. A trail that is shown unchanged may be long and was
 * checked already, so it is left out.
 */
function shownOf(bundle: ContextBundle): ContextBundle | undefined {
  const { shown, trail } = bundle
  if (shown?.sections === undefined) return undefined
  return asShown({ ...bundle, trail: shown.sections.trail === undefined ? [] : trail })
}

/** The schema version that this code writes and reads. */
const schemaVersion = 1

export function refuseNewer(value: unknown): void {
  const { schemaVersion: version } = json.fields(value)
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version <= schemaVersion) return
  const message = `made by a newer tenfold: its schema version is ${version}, this tenfold knows versions up to ${schemaVersion}. Update tenfold to read it.`
  throw new InvalidBundleError(message, [message])
}
