import { InvalidBundleError } from '../errors.ts'

/** Turns a stored bundle of one schema version into one of the next. */
export type Migration = (bundle: Readonly<Record<string, unknown>>) => Record<string, unknown>

/** The schema version that this code writes. */
export const schemaVersion = 1

/** The step from each earlier schema version to the one after it. There is none yet: version 1 is the first. */
const migrations: ReadonlyMap<number, Migration> = new Map()

/**
 * Returns the value in the current schema version, migrated step by step from an earlier one; a value that is not a
 * bundle is returned unchanged. Throws {@link InvalidBundleError} if a newer version wrote it.
 */
export function migrateBundle(value: unknown, { steps = migrations, current = schemaVersion } = {}): unknown {
  if (typeof value !== 'object' || value === null || !('schemaVersion' in value)) return value
  const { schemaVersion: version } = value
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) return value
  if (version > current) throw newerBundle(version, current)
  const step = version === current ? undefined : steps.get(version)
  if (step === undefined) return value
  return migrateBundle({ ...step({ ...value }), schemaVersion: version + 1 }, { steps, current })
}

function newerBundle(version: number, current: number): InvalidBundleError {
  const message = `made by a newer tenfold: its schema version is ${version}, this tenfold knows versions up to ${current}. Update tenfold to read it.`
  return new InvalidBundleError(message, [message])
}
