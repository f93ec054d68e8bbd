import { type LiveCheck, type LiveCheckOptions, type LiveClaim, liveCheck } from '../git/live-check.ts'
import type { Checkpoint } from './schema.ts'

export function checkpointClaim({ git, files, createdAt: at }: Checkpoint): LiveClaim {
  const head = git?.head
  const changed = (git?.files ?? []).filter((file) => file.status !== 'deleted' && !file.path.endsWith('/'))
  // A named file replaces one that git listed.
  const claimed = new Map(
    [...changed, ...files].map(({ path, digest }) => [path, { path, digest, head, at }]),
  )
  return { git, files: [...claimed.values()] }
}

/** Compares a checkpoint with the folder `cwd` and its repository as they are now; see {@link liveCheck}. */
export async function checkCheckpoint(
  checkpoint: Checkpoint,
  cwd: string,
  options: LiveCheckOptions = {},
): Promise<LiveCheck> {
  return await liveCheck(checkpointClaim(checkpoint), cwd, options)
}
