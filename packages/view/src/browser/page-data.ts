// The data of the page, made by Node and read by the browser. Texts are clean (no control characters), times are
// milliseconds since 1970, and no object has keys from the log.

/** A pair of label and value. */
export type Labelled<T> = readonly [label: string, value: T]

export interface PageData {
  readonly session: PageSession
  readonly events: readonly PageEvent[]
  readonly bundle?: PageBundle
  /** Revision of the data, if the page is served. */
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
  /** The first is the one that the user talks to. */
  readonly agents: readonly PageAgent[]
  readonly tokens: {
    readonly counter: string
    readonly total: number
    readonly byCategory: readonly Labelled<number>[]
  }
  readonly usage: readonly Labelled<number>[]
  /** What the usage costs by the price table; absent if a model has no price. */
  readonly cost?: { readonly amount: number; readonly currency: string; readonly pricesOf: string }
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
  /** Name of the tool, the context or the unknown record. */
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
  /** Number of images in the log. */
  readonly images?: number
  /** The images themselves, as `data:` URLs, if the page was made with them. */
  readonly pictures?: readonly string[]
  readonly model?: string
  /** The agent that was started or ended. */
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
  /** State of the session; absent in older bundles. */
  readonly state?: string
  readonly summarizer: string
  /** Number of events in the log when the bundle was made. */
  readonly events: number
  readonly sections: readonly PageSection[]
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
  readonly revision: number
  readonly session: PageSession
  /** Events that are new or differ, by index. */
  readonly events: readonly (readonly [index: number, event: PageEvent])[]
  /** Number of events in all; if it shrank, the page is reloaded. */
  readonly count: number
}
