import { type BundleStore, recallAll, recalledToText } from '@tenfold/core'
import * as z from 'zod'

export interface RecallToolOptions {
  readonly store: BundleStore
  /** Search this track only. @default all tracks */
  readonly track?: string | undefined
  /** Maximum tokens of an answer. @default 1500 */
  readonly maxTokens?: number | undefined
}

export const recallName = 'recall'

export const recallDescription =
  'Searches the full record of this and earlier sessions, with all that was cut from this conversation: commands and their output, file contents, what was said. Ask with a few exact words: a file name, an identifier, an error, a value’s name.'

export const recallParameters = z.object({
  query: z.string().describe('A few words, such as a file name, an identifier or part of an error'),
})

/** Answers a query as text for the model. */
export async function recallText(
  { store, track, maxTokens = 1500 }: RecallToolOptions,
  query: string,
): Promise<string> {
  return recalledToText(await recallAll(store, query, { filter: { track }, maxTokens }))
}
