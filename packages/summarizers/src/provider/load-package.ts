import { TenfoldError } from '@tenfold/core/summarizer'

/** Loads the package of a vendor, an optional peer. Throws TenfoldError `missing-package`, which says how to install it. */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause
    throw new TenfoldError('missing-package', `The package ${name} is not installed: npm install ${name}`, {
      cause,
    })
  }
}
