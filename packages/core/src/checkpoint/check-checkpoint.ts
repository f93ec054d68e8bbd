import { type LiveCheck, type LiveCheckOptions, type LiveClaim, liveCheck } from '../git/live-check.ts'
import type { Checkpoint } from './schema.ts'

/** Returns the claims of a checkpoint about the repository and its files, in the form of the live check. */
export function checkpointClaim({ git, files, createdAt: at }: Checkpoint): LiveClaim {
  const head = git?.head
  const changed = (git?.files ?? []).filter((file) => file.status !== 'deleted' && !file.path.endsWith('/'))
  // A named file takes precedence over one that git listed: it may be elsewhere.
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
