import { InvalidBundleError } from '../errors.ts'
import * as json from '../session/json.ts'

/** The schema version that this code writes and reads: it is the first. */
const schemaVersion = 1

/** Throws {@link InvalidBundleError} if a newer version wrote a bundle. */
export function refuseNewer(value: unknown): void {
  const { schemaVersion: version } = json.fields(value)
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version <= schemaVersion) return
  const message = `made by a newer tenfold: its schema version is ${version}, this tenfold knows versions up to ${schemaVersion}. Update tenfold to read it.`
  throw new InvalidBundleError(message, [message])
}
