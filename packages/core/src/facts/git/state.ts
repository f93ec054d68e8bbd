import type { EventId } from '../../session/event.ts'
import type { CommitFact } from '../facts.ts'

/** A commit of the session while its log is read. */
export interface MadeCommit extends CommitFact {
  readonly branch?: string
}

/** What is known of the repository at a point of the log. */
export interface GitState {
  branch: string | undefined
  head: string | undefined
  dirty: boolean | undefined
  commits: MadeCommit[]
  /** As in the facts. */
  pushed: EventId | 'unknown' | undefined
}

/** Sets the head, in the longer form if it is known in two. */
export function setHead(state: GitState, sha: string): void {
  if (state.head?.startsWith(sha) !== true) state.head = sha
}
