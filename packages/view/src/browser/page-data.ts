// The data of the page, made by Node and read by the browser. Texts are clean (no control characters), times are
// milliseconds since 1970, and no object has keys from the log.

export type Labelled<T> = readonly [label: string, value: T]

/** Everything that a page shows. */
export interface PageData {
  /** Head of the page. */
  readonly session: PageSession
  /** The timeline. */
  readonly events: readonly PageEvent[]
  /** What the session was compressed to. */
  readonly bundle?: PageBundle
  /** Revision of the data, if the page is served. */
  readonly revision?: number
}

/** The head of a page. */
export interface PageSession {
  /** The agent's own id. */
  readonly id: string
  /** Name of the reader. */
  readonly format: string
  /** Version of the agent. */
  readonly version?: string
  /** As the agent shows it. */
  readonly title?: string
  /** Folder in which it began. */
  readonly cwd?: string
  /** Branch that was checked out. */
  readonly branch?: string
  /** Milliseconds since 1970. */
  readonly started?: number
  /** Milliseconds since 1970. */
  readonly ended?: number
  /** Models that answered. */
  readonly models: readonly string[]
  /** Number of files of the log. */
  readonly files: number
  /** The first is the one that the user talks to. */
  readonly agents: readonly PageAgent[]
  /** Its size, and what counted it. */
  readonly tokens: { readonly counter: string; readonly total: number }
  /** What was billed, by price class. */
  readonly usage: readonly Labelled<number>[]
  /** What the usage costs by the price table; absent if a model has no price. */
  readonly cost?: { readonly amount: number; readonly currency: string; readonly pricesOf: string }
  /** What was odd in the log. */
  readonly notes: readonly PageNote[]
  /** Source of the replayed events at the beginning. */
  readonly replayedFrom?: string
}

export interface PageAgent {
  readonly id: string
  /** Index into `PageSession.agents`. */
  readonly parent?: number
  readonly type?: string
  readonly title?: string
}

export interface PageNote {
  readonly code: string
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly count?: number
  /** Index of the event that it follows; missing if it has no place. */
  readonly after?: number
}

/** An event as the page shows it. */
export interface PageEvent {
  /** Number in the session. */
  readonly id: string
  /** Type of the event. */
  readonly type:
    | 'user'
    | 'context'
    | 'assistant'
    | 'reasoning'
    | 'tool_call'
    | 'tool_result'
    | 'subagent_start'
    | 'subagent_end'
    | 'compaction'
    | 'rewind'
    | 'other'
  /** Index into `PageSession.agents`. */
  readonly agent: number
  /** Number of user messages before it. */
  readonly turn: number
  /** Its size. */
  readonly tokens: number
  /** Milliseconds since 1970. */
  readonly time?: number
  /** What it says. */
  readonly text?: string
  /** Name of the tool, the context or the unknown record. */
  readonly name?: string
  /** Kind of the tool. */
  readonly kind?: string
  /** Where its text came from. */
  readonly origin?: string
  /** What a call is about, on one line: its file, command or pattern. */
  readonly target?: string
  /** Arguments of a call; one without a label is raw text. */
  readonly input?: readonly Labelled<string>[]
  /** What an edit replaces, and by what, in place of these arguments. */
  readonly edits?: readonly (readonly [before: string, after: string])[]
  /** Ties a call to its result. */
  readonly callId?: string
  /** How a call ended. */
  readonly status?: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown'
  /** Of a command. */
  readonly exitCode?: number
  /** Files that a tool changed: `M src/app.ts +3 -1`. */
  readonly changes?: readonly string[]
  /** Number of images in the log. */
  readonly images?: number
  /** The images themselves, as `data:` URLs, if the page was made with them. */
  readonly pictures?: readonly string[]
  /** Model that made it. */
  readonly model?: string
  /** The agent that was started or ended. */
  readonly child?: number
  /** How many turns a rewind took back. */
  readonly turns?: number
  /** Size of the conversation before a compaction. */
  readonly tokensBefore?: number
  /** Set for an earlier session's events. */
  readonly replayed?: true
  /** Set if a rewind took it out of the conversation. */
  readonly rewound?: true
  /** `line 12`, or `session.jsonl:12` if there are several files. */
  readonly source: string
}

/** A bundle with its session. */
export interface PageBundle {
  /** Id of the bundle. */
  readonly id: string
  /** Its kind. */
  readonly kind: string
  /** Its track. */
  readonly track: string
  /** Milliseconds since 1970. */
  readonly created: number
  /** `made`: now, offline, and not saved. */
  readonly from: 'store' | 'file' | 'made'
  /** Tokens of the session. */
  readonly sourceTokens: number
  /** Tokens of the bundle. */
  readonly bundleTokens: number
  /** Bundle tokens by source tokens. */
  readonly ratio: number
  /** Whether it is within its budget. */
  readonly band: string
  /** State of the session; absent in older bundles. */
  readonly state?: string
  /** Name and model of the summarizer. */
  readonly summarizer: string
  /** Number of events in the log when the bundle was made. */
  readonly events: number
  /** Its statements. */
  readonly sections: readonly PageSection[]
  /** Its excerpts. */
  readonly trail: readonly PageExcerpt[]
}

export interface PageSection {
  readonly title: string
  /** Parts of the session summary are shown at once, long lists of facts are folded. */
  readonly folded: boolean
  readonly statements: readonly PageStatement[]
}

export interface PageStatement {
  readonly text: string
  readonly details: readonly Labelled<string>[]
  /** Indexes of events. */
  readonly evidence: readonly number[]
  readonly tone?: 'good' | 'bad'
  readonly unverified?: true
}

/** Text that the bundle holds verbatim of the events from `event` to `until`. */
export interface PageExcerpt {
  readonly event: number
  readonly until: number
  readonly text: string
}

/** The changes of a growing log, as sent to the page. */
export interface PageUpdate {
  /** Number of the state. */
  readonly revision: number
  /** The new head of the page. */
  readonly session: PageSession
  /** Events that are new or differ, by index. */
  readonly events: readonly (readonly [index: number, event: PageEvent])[]
  /** Number of events in all; if it shrank, the page is reloaded. */
  readonly count: number
}
