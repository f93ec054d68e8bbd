import type { SessionState } from '../bundle/schema.ts'
import type { EventId } from '../session/event.ts'
import type { OfferedOption } from './answers/offered-options.ts'
import type { Refusal } from './constraints/binding/grammar.ts'

/** A file that the session touched; `status` is the outcome at the end. */
export interface FileFact {
  /** Relative to the session's cwd where it lies below it, else absolute; `/` as separator. */
  readonly path: string
  readonly status: 'created' | 'modified' | 'deleted' | 'renamed' | 'read'
  /** Its first path, where it was moved; a file made in the session and then moved stays `created`. */
  readonly from?: string
  /** Lines over all edits, where the log tells. */
  readonly added?: number
  readonly removed?: number
  /** First touch, last edit, last touch: without repetition, in order. */
  readonly evidence: readonly EventId[]
  /** The last call that changed it; absent where it was only read. */
  readonly lastEdit?: EventId
  readonly touches: number
  /** The log tells no results: what the calls asked for, whether or not it was done. */
  readonly untold?: true
}

/** A file or folder that was spoken of, and given to or printed by a tool, but that no call opened. */
export interface NamedFileFact {
  /** As in `FileFact`; a folder ends in `/`. */
  readonly path: string
  /** The last mention. */
  readonly event: EventId
}

export interface CommandFact {
  readonly command: string
  readonly status: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown'
  readonly exitCode?: number
  readonly call: EventId
  readonly result?: EventId
  /** What it checks, where its words tell. */
  readonly purpose?: 'test' | 'build' | 'lint' | 'typecheck'
  /** Program and subcommand, the same for reruns with other arguments: `npm test`, `go vet`. */
  readonly program: string
}

/** The check that tells how the work stands. */
export interface CheckFact extends CommandFact {
  /** Files that it covers were edited after it. */
  readonly stale?: true
}

export interface ErrorFact {
  /** The decisive lines of the output, one line. */
  readonly message: string
  readonly call?: EventId
  readonly event: EventId
  /** The later success of the same command, of a check of the same kind, or of an edit to the same file. */
  readonly resolvedBy?: EventId
  /** Where the work went on without it: in another way, or because it was only looked for. Nothing shows that it passed. */
  readonly leftBehind?: EventId
}

export interface TaskFact {
  readonly text: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
  readonly event: EventId
}

export interface CommitFact {
  readonly sha: string
  readonly subject?: string
  readonly event: EventId
}

/** What the user decided by answering: a question, a plan, or a tool use that needed consent. */
export interface AnswerFact {
  /** `question`: a tool asked; `reply`: the agent asked in its message. */
  readonly kind: 'question' | 'reply' | 'plan' | 'refusal'
  /** What was asked, one line: the question, the title of the plan, the refused call. Empty if it cannot be told. */
  readonly question: string
  /** In the words of the user, or of the options that the user picked; empty for a refusal without a reason. */
  readonly answer: string
  /** The offered options that the answer names. */
  readonly chosen: readonly OfferedOption[]
  readonly others: readonly OfferedOption[]
  readonly asked: EventId
  /** Where the answer stands. */
  readonly event: EventId
}

/** A sentence of the person that binds whoever goes on with the work, verbatim. */
export interface ConstraintFact {
  readonly text: string
  readonly event: EventId
}

/** A sentence of the person that has words of a demand, whether or not it binds. */
export interface ConstraintCandidate extends ConstraintFact {
  /** Why it is no requirement; absent if it is one. */
  readonly refused?: Refusal
}

/** The kind of work that a turn did; `release` is committing, pushing, tagging, publishing. */
export type WorkPhase = 'research' | 'plan' | 'implement' | 'test' | 'review' | 'release'

/** The state of a session, and what it rests on. */
export interface StateFact {
  readonly state: SessionState
  /**
   * `answer`: the request was answered. `question`, `offer`, `trial`: the agent asked, offered a next step, or wants the
   * user to run something. `working`: the log ends while the agent works. `tasks`: it ends with an answer, and the list that
   * was kept for the request has open tasks. `open-call`: a call has no result. `no-answer`:
   * nothing follows the request. `aborted`, `limit`: cut off by the user or the harness. `error`: of provider or harness.
   * `gave-up`: the agent says that it cannot do the work.
   */
  readonly because:
    | 'answer'
    | 'question'
    | 'offer'
    | 'trial'
    | 'working'
    | 'tasks'
    | 'open-call'
    | 'no-answer'
    | 'aborted'
    | 'limit'
    | 'error'
    | 'gave-up'
  /** The answer, question, call or mark that decides it. */
  readonly evidence: readonly EventId[]
  /** The last message that asks for work, of the user or of the agent that gave the task. */
  readonly request?: EventId
  /** The agent's last words since. */
  readonly answer?: EventId
  /** What the user is waited for, or what the harness said, verbatim on one line. */
  readonly words?: string
  /** Questions of the agent that nobody answered, in order. */
  readonly questions: readonly { readonly text: string; readonly event: EventId }[]
}

/** A command that a turn of the user or the agent proposed to run. */
export interface CommandProposal {
  /** On one line. */
  readonly command: string
  /** The text only begins with the command, which stood without marks: where it ends cannot be told. */
  readonly rest?: true
  /** True if the words are the user's. */
  readonly byUser?: true
  /** The user forbade it: it is no proposal, and no later one of the agent makes it one. */
  readonly forbidden?: true
  readonly event: EventId
}

export type IdentifierKind = 'path' | 'sha' | 'url' | 'error' | 'flag' | 'symbol'

export interface Identifier {
  readonly kind: IdentifierKind
  readonly text: string
  readonly count: number
  readonly first: EventId
  readonly last: EventId
}

/** What is computed from a session and never asked of a model. */
export interface Facts {
  readonly files: readonly FileFact[]
  readonly namedFiles: readonly NamedFileFact[]
  readonly commands: readonly CommandFact[]
  readonly errors: readonly ErrorFact[]
  /** The task list as it stood at the end. */
  readonly tasks: readonly TaskFact[]
  readonly git: {
    readonly branch?: string
    readonly head?: string
    readonly dirty?: boolean
    readonly commits: readonly CommitFact[]
  }
  readonly answers: readonly AnswerFact[]
  /** What the person required and still holds. */
  readonly constraints: readonly ConstraintFact[]
  /** All sentences of the person with words of a demand, constraints among them. */
  readonly constraintCandidates: readonly ConstraintCandidate[]
  /** By text; the key is the identifier as it stands in the log. */
  readonly identifiers: ReadonlyMap<string, Identifier>
  /** The last command that tests, builds or lints. */
  readonly validation?: CheckFact
  /** In order of the log, also those that were run since. */
  readonly proposals: readonly CommandProposal[]
  /** Absent for a session without any work or request. */
  readonly state?: StateFact
  /** Of the last turn with tool calls; absent if there is none. */
  readonly phase?: WorkPhase
}
