import { TenfoldError } from '@tenfold/core'
import { checkCheckpoint } from '@tenfold/core/internal'
import type { CheckpointStore } from '@tenfold/core/store'

interface LatestOptions {
  readonly track?: string | undefined
  readonly live: string | undefined
  readonly ignore: readonly string[]
  readonly signal: AbortSignal
  /** For the error: the place without a checkpoint, and advice if there is none at all (`save`) or on this track. */
  readonly advice: { readonly place?: string; readonly save: string; readonly choose: string }
}

export async function latestCheckpoint(
  store: CheckpointStore,
  { track, live: folder, ignore, signal, advice }: LatestOptions,
) {
  const latest = await store.latest(track, { signal })
  if (latest === undefined) {
    const tracks = await store.tracks()
    const where = track === undefined ? 'no current checkpoint' : `no checkpoint on track ${track}`
    const place = advice.place === undefined ? '' : ` in ${advice.place}`
    const other =
      tracks.length === 0 ? advice.save : `There are checkpoints on ${tracks.join(', ')}; ${advice.choose}`
    throw new TenfoldError('no-checkpoint', `There is ${where}${place}. ${other}`)
  }
  const live =
    folder === undefined ? undefined : await checkCheckpoint(latest.checkpoint, folder, { signal, ignore })
  return { ...latest, live }
}
