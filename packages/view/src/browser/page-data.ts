// What the page is given: made by Node, read by the browser. Texts are clean (no control characters), times are
// milliseconds since 1970, and nothing is an object keyed by words of a log.

/** A pair of label and value. */
export type Labelled<T> = readonly [label: string, value: T]

export interface PageData {
  readonly session: PageSession
  readonly events: readonly PageEvent[]
  readonly bundle?: PageBundle
  /** Set where the page is served: what it was made of. */
  readonly revision?: number
}

export interface PageSession {
  readonly id: string
  readonly format: string
  readonly version?: string
  readonly title?: string
  readonly cwd?: string
  readonly branch?: string
  readonly started?: number
  readonly ended?: number
  readonly models: readonly string[]
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly lines: number }[]
  /** The first is the one that the person talks to. */
  readonly agents: readonly PageAgent[]
  readonly tokens: {
    readonly counter: string
    readonly total: number
    readonly byCategory: readonly Labelled<number>[]
  }
  readonly usage: readonly Labelled<number>[]
  readonly notes: readonly PageNote[]
  /** Where the replayed events at the head came from. */
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
  /** Index of the event after which it stands; missing where it has no place. */
  readonly after?: number
}

export interface PageEvent {
  readonly id: string
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
  readonly turn: number
  readonly tokens: number
  readonly time?: number
  readonly text?: string
  /** Of the tool, the context or the unknown record. */
  readonly name?: string
  /** Kind of the tool. */
  readonly kind?: string
  readonly origin?: string
  /** Arguments of a call; one without a label is raw text. */
  readonly input?: readonly Labelled<string>[]
  readonly callId?: string
  readonly status?: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown'
  readonly exitCode?: number
  /** Files that a tool changed: `M src/app.ts +3 -1`. */
  readonly changes?: readonly string[]
  readonly images?: number
  readonly model?: string
  /** Agent that was started or ended. */
  readonly child?: number
  readonly turns?: number
  readonly tokensBefore?: number
  readonly replayed?: true
  readonly rewound?: true
  /** `session.jsonl:12`. */
  readonly source: string
}

export interface PageBundle {
  readonly id: string
  readonly kind: string
  readonly track: string
  readonly created: number
  /** `made`: now, offline, and not saved. */
  readonly from: 'store' | 'file' | 'made'
  readonly sourceTokens: number
  readonly bundleTokens: number
  readonly ratio: number
  readonly band: string
  /** How the session stands; absent in older bundles. */
  readonly state?: string
  readonly summarizer: string
  /** Events of the log when the bundle was made. */
  readonly events: number
  readonly sections: readonly PageSection[]
  readonly trail: readonly PageExcerpt[]
}

export interface PageSection {
  readonly title: string
  /** SessionSummary is shown at once, long lists of facts are folded. */
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

/** What the bundle holds verbatim of the events from `event` to `until`. */
export interface PageExcerpt {
  readonly event: number
  readonly until: number
  readonly text: string
}

/** What changed in a log that grows, as it is sent to the page. */
export interface PageUpdate {
  readonly revision: number
  readonly session: PageSession
  /** Events that are new or differ, by index. */
  readonly events: readonly (readonly [index: number, event: PageEvent])[]
  /** The list is so long; where it got shorter the page is loaded anew. */
  readonly count: number
}
