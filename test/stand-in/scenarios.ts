/** What a provider can be made to do with a request. `next` is what it does in the end. */
export type Scenario = Answering | Faulty

/** Figures of a call that do not follow from the request. All are clamped to what is possible. */
export interface ScenarioFigures {
  /** Part of the input that was read from the cache. @default 0 */
  readonly cacheRead?: number
  /** Part of the input that was written to the cache. @default 0 */
  readonly cacheWrite?: number
  /** Part of the output. @default 16 for Anthropic and OpenAI, 0 for Ollama */
  readonly reasoning?: number
}

/** Scenarios that end in a reply with status 200. */
type Answering = ScenarioFigures &
  (
    | { readonly scenario: 'ok'; readonly text?: string }
    /** `text`: prose next to the refusal. */
    | { readonly scenario: 'refusal'; readonly text?: string; readonly category?: string }
    | { readonly scenario: 'refusal_text' }
    | { readonly scenario: 'max_tokens' }
    | { readonly scenario: 'context_exceeded' }
    | { readonly scenario: 'content_filter' }
    | { readonly scenario: 'failed'; readonly code?: string }
    /** Status `incomplete` without a reason (Responses), otherwise length. */
    | { readonly scenario: 'incomplete' }
    | { readonly scenario: 'bad_schema' }
    | { readonly scenario: 'prose' }
    | { readonly scenario: 'fenced' }
    | { readonly scenario: 'empty' }
    | { readonly scenario: 'inflated'; readonly chars?: number }
    | { readonly scenario: 'two_text_blocks' }
    | { readonly scenario: 'no_usage' }
    | { readonly scenario: 'no_content_type' }
    /** The stream sends one piece each `everyMs`. */
    | { readonly scenario: 'drip'; readonly everyMs: number }
    | { readonly scenario: 'pings'; readonly n: number; readonly everyMs: number }
    /** Reads only the last `tokens` without saying so. */
    | { readonly scenario: 'window'; readonly tokens: number }
    /** `after`: pieces of the answer that are sent before. @default half of them */
    | { readonly scenario: 'stream_error'; readonly type?: string; readonly after?: number }
    | { readonly scenario: 'stream_reset'; readonly after?: number }
    | { readonly scenario: 'stream_cut'; readonly after?: number }
    | { readonly scenario: 'stream_no_stop' }
    | { readonly scenario: 'stall'; readonly after?: number }
  )

/** Scenarios that wrap another, or that give no reply. */
type Faulty =
  | StatusScenario
  | { readonly scenario: 'prompt_too_long' }
  /** 400 as long as the call asks for a JSON Schema, or with `jsonObject` for any JSON; otherwise ok. */
  | { readonly scenario: 'schema_unsupported'; readonly jsonObject?: boolean }
  | { readonly scenario: 'spend_limit' }
  | { readonly scenario: 'slow'; readonly ms: number; readonly next?: ScenarioLike }
  | { readonly scenario: 'connection_reset' }
  /** Never answers; the work is done and billed. */
  | { readonly scenario: 'stall_headers' }
  /** The work is done and billed, then the socket is destroyed. */
  | { readonly scenario: 'lost_reply'; readonly next?: ScenarioLike }

export interface StatusScenario {
  readonly scenario: 'status'
  readonly code: number
  readonly type?: string
  readonly message?: string
  /** Anthropic: `error.details.error_code`. OpenAI: `error.code`. */
  readonly errorCode?: string
  /** Seconds, milliseconds, a date, or the header as it is. */
  readonly retryAfter?: number | { readonly ms: number } | Date | string
  readonly xShouldRetry?: boolean
}

export type ScenarioName = Scenario['scenario']
/** A scenario, its name (if it needs no parameter), or an HTTP status. */
export type ScenarioLike = Scenario | ScenarioName | number

const names: Readonly<Record<ScenarioName, readonly string[]>> = {
  ok: [],
  refusal: [],
  refusal_text: [],
  max_tokens: [],
  context_exceeded: [],
  content_filter: [],
  failed: [],
  incomplete: [],
  bad_schema: [],
  prose: [],
  fenced: [],
  empty: [],
  inflated: [],
  two_text_blocks: [],
  no_usage: [],
  no_content_type: [],
  drip: ['everyMs'],
  pings: ['n', 'everyMs'],
  window: ['tokens'],
  stream_error: [],
  stream_reset: [],
  stream_cut: [],
  stream_no_stop: [],
  stall: [],
  status: ['code'],
  prompt_too_long: [],
  schema_unsupported: [],
  spend_limit: [],
  slow: ['ms'],
  connection_reset: [],
  stall_headers: [],
  lost_reply: [],
}

/** All names of scenarios. */
export const scenarioNames = Object.keys(names) as ScenarioName[]

/** Throws TypeError if the name is unknown or a parameter is missing: a test must not pass because of a typo. */
export function toScenario(like: ScenarioLike): Scenario {
  if (typeof like === 'number') return { scenario: 'status', code: like }
  const scenario = typeof like === 'string' ? ({ scenario: like } as Scenario) : like
  const needed = Object.hasOwn(names, scenario.scenario) ? names[scenario.scenario] : undefined
  if (needed === undefined) throw new TypeError(`no scenario is named ${JSON.stringify(scenario.scenario)}`)
  for (const field of needed)
    if (typeof (scenario as unknown as Record<string, unknown>)[field] !== 'number')
      throw new TypeError(`scenario ${scenario.scenario} needs the number ${field}`)
  return scenario
}

/** Reads the header `x-scenario`: a name, an HTTP status, or a scenario as JSON. */
export function scenarioOfHeader(header: string): Scenario {
  if (/^\d{3}$/.test(header)) return toScenario(Number(header))
  return toScenario(header.startsWith('{') ? (JSON.parse(header) as Scenario) : (header as ScenarioName))
}

/** True for an object that a test returns as a scenario, not as an answer. */
export function isScenario(value: unknown): value is Scenario {
  return (
    typeof value === 'object' &&
    value !== null &&
    'scenario' in value &&
    typeof value.scenario === 'string' &&
    Object.hasOwn(names, value.scenario)
  )
}
