import { InvalidBundleError } from '../errors.ts'
import { refuseNewer } from './refuse-newer.ts'
import { bundleSchema, type ContextBundle } from './schema.ts'
import { asShown } from './shown.ts'

/**
 * Checks a value against the schema. Throws {@link InvalidBundleError} that names each invalid field, or says that a
 * newer version wrote the bundle.
 */
export function parseBundle(value: unknown): ContextBundle {
  refuseNewer(value)
  const result = bundleSchema.safeParse(value)
  const error = result.error ?? shownError(result.data)
  if (result.success && error === undefined) return result.data
  const issues = (error?.issues ?? []).map((issue) => `${issue.path.join('.') || 'bundle'}: ${issue.message}`)
  throw new InvalidBundleError(`not a valid context bundle: ${issues.slice(0, 5).join('; ')}`, issues)
}

/** What is wrong with the bundle that the Markdown shows. A trail that is shown as it is may be long: it was checked. */
function shownError(bundle: ContextBundle) {
  const { shown, trail } = bundle
  if (shown?.sections === undefined) return undefined
  const looked = { ...bundle, trail: shown.sections.trail === undefined ? [] : trail }
  return bundleSchema.safeParse(asShown(looked)).error
}
