import { idPattern } from '../bundle/bundle-id.ts'
import { bundleKinds, isTrackName } from '../bundle/bundle-names.ts'
import { parseBundle } from '../bundle/parse-bundle.ts'
import { InvalidBundleError } from '../errors.ts'
import { type BudgetOptions, budgetOf } from '../plan/budget.ts'
import { cleanLine } from '../session/clean-text.ts'
import { aNumber, aString, type Check, type Checks, checkOptions, wrongType, wrongValue } from './check.ts'

export const kindOfBundle: Check = (name, value) => {
  if (value !== 'auto' && !bundleKinds.some((kind) => kind === value))
    throw wrongValue(name, `to be one of ${bundleKinds.join(', ')}, or auto`, value)
}

export const trackName: Check = (name, value) => {
  aString(name, value)
  if (!isTrackName(value as string))
    throw wrongValue(
      name,
      'to be a name of letters, digits, ".", "_" and "-" that begins with a letter or a digit and that no file system reserves',
      value,
    )
}

export const taskName: Check = (name, value) => {
  aString(name, value)
  if (cleanLine(value as string) === '') throw wrongValue(name, 'to be some text', value)
}

/** A complete bundle, valid by its schema. */
export const wholeBundle: Check = (name, value) => {
  try {
    parseBundle(value)
  } catch (error) {
    if (!(error instanceof InvalidBundleError)) throw error
    throw new InvalidBundleError(`expected ${name} to be a bundle: ${error.message}`, error.issues, {
      cause: error,
    })
  }
}

export const bundleId: Check = (name, value) => {
  aString(name, value)
  if (!idPattern.test(value as string)) throw wrongValue(name, 'to be the id of a bundle', value)
}

export const timeOfCreation: Check = (name, value) => {
  if (!(value instanceof Date)) throw wrongType(name, 'a Date', value)
  // The schema requires a year of four digits.
  if (!/^\d{4}-/.test(Number.isNaN(value.getTime()) ? '' : value.toISOString()))
    throw wrongValue(name, 'to be a time in the years 0 to 9999', value)
}

export const budgetChecks: Checks<BudgetOptions> = {
  maxRatio: aNumber,
  minRatio: aNumber,
  maxTokens: aNumber,
  minSourceTokens: aNumber,
  maxReadRatio: aNumber,
}

/** Throws RangeError for limits of a bundle that are invalid, alone or together, regardless of the session's size. */
export function checkBudget(options: BudgetOptions): void {
  checkOptions(options, budgetChecks)
  budgetOf(0, options)
}
