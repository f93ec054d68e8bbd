import type { SessionState } from '../bundle/bundle-names.ts'
import type { EventId } from '../session/event.ts'
import type { OfferedOption } from './answers/offered-options.ts'
import type { Refusal } from './constraints/binding/grammar.ts'

/** A file that the session touched. `status` is the outcome at the end. */
export interface FileFact {
  /** Relative to the session's cwd if it is below it, otherwise absolute; `/` as separator. */
  readonly path: string
  /** State of the file at the end of the session. */
  readonly status: 'created' | 'modified' | 'deleted' | 'renamed' | 'read'
  /** Its first path, if it was moved. A file created in the session and then moved stays `created`. */
  readonly from?: string
  /** Lines added by all edits, if the log reports them. */
  readonly added?: number
  /** Lines removed by all edits, if the log reports them. */
  readonly removed?: number
  /** The parts that were read of a file that was never read whole: `lines 120-180`, in order. */
  readonly sections?: readonly string[]
  /** Names of functions, types and constants in lines that edits added and none removed. */
  readonly defines?: readonly string[]
  /** First touch, last edit, last touch: distinct and in order. */
  readonly evidence: readonly EventId[]
  /** The last call that changed the file; absent if it was only read. */
  readonly lastEdit?: EventId
  /** Number of calls that opened or changed the file. */
  readonly touches: number
  /** The session created and removed the file. */
  readonly temporary?: true
  /** The log has no results, so this is what calls requested, done or not. */
  readonly unreported?: true
}

/** A file or folder that was mentioned, and given to or printed by a tool, but never opened by a call. */
export interface NamedFileFact {
  /** Like the path of {@link FileFact}; a folder ends in `/`. */
  readonly path: string
  /** The last mention. */
  readonly event: EventId
}

/** A shell command that the agent ran. */
export interface CommandFact {
  /** As the agent ran it. */
  readonly command: string
  /** `unknown` if neither the log nor the output shows how it ended. */
  readonly status: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown'
  /** Absent if the log does not report it. */
  readonly exitCode?: number
  /** Event of the call. */
  readonly call: EventId
  /** Event with the output; absent if the log has none. */
  readonly result?: EventId
  /** Type of the check, if the words of the command show it. */
  readonly purpose?: 'test' | 'build' | 'lint' | 'typecheck'
  /** Program and subcommand, equal for runs with other arguments: `npm test`, `go vet`. */
  readonly program: string
}

/** The check that shows the state of the work. */
export interface CheckFact extends CommandFact {
  /** Files that it covers were edited after it ran, or other changes were staged. */
  readonly stale?: true
  /** It is stale only because other changes were staged after this hook of a commit. */
  readonly restaged?: true
  /** The part of the command that checks, if it also commits or pushes: `npm test`, `git commit (its hook ran: tsc)`. */
  readonly part?: string
}

/** A call that failed, or output that reports a failure. */
export interface ErrorFact {
  /** The decisive lines of the output, on one line. */
  readonly message: string
  /** The call that failed; absent if the failure was only reported. */
  readonly call?: EventId
  /** Event with the message. */
  readonly event: EventId
  /** The later success of the same command, of a check of the same kind, or of an edit to the same file. */
  readonly resolvedBy?: EventId
  /** That success covered fewer files or folders than the failure; the others may still fail. */
  readonly narrower?: true
  /**
   * The point from which the work continued without it: in another way, or because it was only a lookup. Nothing shows
   * that it passed.
   */
  readonly leftBehind?: EventId
}

/** An item of the agent's own task list. */
export interface TaskFact {
  /** In the agent's words. */
  readonly text: string
  /** Last status. */
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
  /** The call that last set the status. */
  readonly event: EventId
  /** The call that first listed the task, if it was an earlier one. */
  readonly listed?: EventId
}

/** A commit that the session made. */
export interface CommitFact {
  /** As printed by git, mostly abbreviated; `unknown` if the log does not show it. */
  readonly sha: string
  /** First line of the message, if the log shows it. */
  readonly subject?: string
  /** The result that shows the commit. */
  readonly event: EventId
  /** Folder of its repository, if it is not the session's: absolute, or below the session's. */
  readonly folder?: string
  /** The event that shows that it was pushed; `unknown` if the log does not show how a push of it ended. */
  readonly pushed?: EventId | 'unknown'
  /** It was rebased since, and the log does not show its new id. */
  readonly rebased?: true
}

/** A decision of the user by an answer: to a question, a plan, or a tool use that needed consent. */
export interface AnswerFact {
  /** `question`: a tool asked; `reply`: the agent asked in its message. */
  readonly kind: 'question' | 'reply' | 'plan' | 'refusal'
  /** The question, the title of the plan or the refused call, one line. Empty if unknown. */
  readonly question: string
  /** The user's words, or the options that the user picked; empty for a refusal without a reason. */
  readonly answer: string
  readonly chosen: readonly OfferedOption[]
  readonly others: readonly OfferedOption[]
  readonly asked: EventId
  /** Event with the answer. */
  readonly event: EventId
}

/** A sentence of the user that binds whoever continues the work, verbatim. */
export interface ConstraintFact {
  /** In the user's own words. */
  readonly text: string
  /** Event of the message. */
  readonly event: EventId
}

/** A sentence of the user with words of a demand, whether or not it binds. */
export interface ConstraintCandidate extends ConstraintFact {
  /** Why it is not a constraint; absent if it is one. */
  readonly refused?: Refusal
}

/** A rule of the project that the session read, verbatim; not words of the user. */
export interface ProjectRuleFact {
  /** Verbatim. */
  readonly text: string
  /** File, issue or the like: `CLAUDE.md`, `issue 12`, `src/auth.ts`. */
  readonly source: string
  /** Event in which it was read. */
  readonly event: EventId
}

/** The kind of work in a turn. `release` is committing, pushing, tagging, publishing. */
export type WorkPhase = 'research' | 'plan' | 'implement' | 'test' | 'review' | 'release'

/** The state of a session, with its evidence. */
export interface StateFact {
  /** State at the end of the log. */
  readonly state: SessionState
  /**
   * `answer`: the request was answered. `question`, `offer`, `trial`: the agent asked, offered a next step, or wants
   * the user to run something. `working`: the log ends while the agent works. `tasks`: it ends with an answer, but the
   * request's task list has open tasks. `open-call`: a call that may change something has no result (one that changes
   * nothing is `working`). `no-answer`: nothing follows the request. `aborted`, `limit`: cut off by the user or the
   * harness. `error`: from provider or harness. `gave-up`: the agent states that it cannot do the work.
   */
  readonly because:
    | 'answer'
    | 'question'
    | 'offer'
    | 'trial'
    | 'working'
    | 'tasks'
    | 'open-call'
    | 'subagent'
    | 'no-answer'
    | 'aborted'
    | 'limit'
    | 'error'
    | 'gave-up'
  /** The answer, question, call or mark that determines the state. */
  readonly evidence: readonly EventId[]
  /** The last message that requests work, from the user or from the agent that gave the task. */
  readonly request?: EventId
  /** The agent's last words since that request. */
  readonly answer?: EventId
  /** The agent's request to the user, the harness's message or the calls without a result, on one line. */
  readonly words?: string
  /** Unanswered questions of the agent, and open decisions in its last answer, in order. */
  readonly questions: readonly { readonly text: string; readonly event: EventId }[]
}

/** Open work in the last words of a session, verbatim, each with its message. */
export interface OpenWork {
  /** Next steps, in order, without those done since. */
  readonly steps: readonly { readonly text: string; readonly event: EventId }[]
  /** Sentences of the last answer and request about something that is not done, not proven or put off. */
  readonly remarks: readonly { readonly text: string; readonly event: EventId }[]
  /** A sentence of an answer without steps or remarks that may mean that something is missing. */
  readonly hedge?: string
}

/** A command that a turn of the user or the agent proposed to run. */
export interface CommandProposal {
  /** One line. */
  readonly command: string
  /** The command had no marks, so only its beginning is certain. */
  readonly rest?: true
  /** True if the user proposed it, not the agent. */
  readonly byUser?: true
  /** Event of the proposal. */
  readonly event: EventId
}

/** Kind of an identifier by its form. */
export type IdentifierKind = 'path' | 'sha' | 'url' | 'error' | 'flag' | 'symbol'

/** A name that people and programs search for, with its occurrences. */
export interface Identifier {
  /** What it is by its form. */
  readonly kind: IdentifierKind
  /** Exactly as in the log. */
  readonly text: string
  /** Number of occurrences. */
  readonly count: number
  /** Number of uses in words of the user and the agent, and in arguments of calls; output only repeats a name. */
  readonly own: number
  /** First event with the name. */
  readonly first: EventId
  /** Last event with the name. */
  readonly last: EventId
}

/** Facts of a session: computed, never asked of a model. */
export interface Facts {
  /** Files that a call opened or changed. */
  readonly files: readonly FileFact[]
  /** Files that were mentioned but never opened. */
  readonly namedFiles: readonly NamedFileFact[]
  /** Shell commands in order, with their outcome. */
  readonly commands: readonly CommandFact[]
  /** Failures in order, and what resolved them. */
  readonly errors: readonly ErrorFact[]
  /** The task list at the end. */
  readonly tasks: readonly TaskFact[]
  /** Branch, head and commits, as far as calls show them. */
  readonly git: {
    readonly branch?: string
    readonly head?: string
    readonly dirty?: boolean
    /** Whether the last commit was pushed. */
    readonly pushed?: EventId | 'unknown'
    /** Files that were changed in a repository and are in no commit of the session. */
    readonly uncommitted?: readonly string[]
    /** In order, without those that an amend or a reset replaced. */
    readonly commits: readonly CommitFact[]
  }
  /** The user's answers to questions of the agent. */
  readonly answers: readonly AnswerFact[]
  /** The user's constraints that still hold. */
  readonly constraints: readonly ConstraintFact[]
  /** All sentences of the user with words of a demand, including the constraints. */
  readonly constraintCandidates: readonly ConstraintCandidate[]
  /** The most specific to the work first. */
  readonly projectRules: readonly ProjectRuleFact[]
  /** By text, exactly as in the log. */
  readonly identifiers: ReadonlyMap<string, Identifier>
  /** The last command that tests, builds or lints. */
  readonly validation?: CheckFact
  /** In log order, including commands that were run since. */
  readonly proposals: readonly CommandProposal[]
  /** Absent for a session without work or request. */
  readonly state?: StateFact
  /** For a subagent's session: its role, name and parent, `explorer Ann of 019d7d08-46c9`. */
  readonly subagent?: string
  /** Open work in the session's last words. */
  readonly openWork: OpenWork
  /** Phase of the last turn with tool calls; absent if there is none. */
  readonly phase?: WorkPhase
}

/** Whether an error was neither resolved nor left behind by the work. */
export function isOpenError({ resolvedBy, leftBehind }: ErrorFact): boolean {
  return resolvedBy === undefined && leftBehind === undefined
}
