import type {
  PageAgent,
  PageBundle,
  PageData,
  PageEvent,
  PageExcerpt,
  PageNote,
  PageStatement,
} from './page-data.ts'

/** A step of the timeline: an event, a call with its result, a subagent, or a note of the reader. */
export interface Item {
  readonly key: string
  /** Index of the event; for a subagent without a call, of its start. */
  readonly index: number
  result?: number
  agent?: AgentRun
  note?: PageNote
}

export interface AgentRun {
  readonly agent: number
  readonly items: Item[]
  readonly parent: Item
}

export interface Turn {
  readonly key: string
  readonly number: number
  readonly replayed: boolean
  readonly items: Item[]
  prompt?: number
  tokens: number
  calls: number
  failed: number
  compactions: number
  start?: number
  end?: number
}

export interface Model {
  readonly data: PageData
  readonly turns: readonly Turn[]
  readonly itemOf: ReadonlyMap<number, Item>
  readonly turnOf: ReadonlyMap<Item, Turn>
  /** The subagent whose steps include a step; missing on the main line. */
  readonly homeOf: ReadonlyMap<Item, AgentRun>
  readonly kept: ReadonlyMap<number, PageExcerpt>
  readonly statements: readonly Statement[]
  readonly cited: ReadonlyMap<number, readonly Statement[]>
  readonly items: readonly Item[]
}

export interface Statement extends PageStatement {
  readonly number: number
  readonly section: string
}

export function createModel(data: PageData): Model {
  const statements = statementsOf(data.bundle)
  const builder = createBuilder(data)
  for (const [index, event] of data.events.entries()) builder.add(event, index)
  const built = builder.done()
  return {
    data,
    ...built,
    items: built.turns.flatMap((turn) => withRuns(turn.items)),
    kept: keptEvents(data),
    statements,
    cited: citations(statements),
  }
}

/** Steps with those of the subagents that they started. A log may nest agents to any depth. */
function withRuns(items: readonly Item[]): Item[] {
  const all: Item[] = []
  const open = items.toReversed()
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    all.push(item)
    if (item.agent !== undefined) open.push(...item.agent.items.toReversed())
  }
  return all
}

function createBuilder({ session }: PageData) {
  const turns: Turn[] = []
  const byKey = new Map<string, Turn>()
  const calls = new Map<string, Item>()
  const items = new Map<number, Item>()
  const turnOf = new Map<Item, Turn>()
  const homeOf = new Map<Item, AgentRun>()
  const runs = new Map<number, AgentRun>()
  const notes = notesByEvent(session.notes)
  /** Agents whose place is being searched: a log may contain cycles of parents. */
  const open = new Set<number>()

  function turnAt(event: PageEvent): Turn {
    const replayed = event.replayed === true
    const key = `turn-${replayed ? 'r' : ''}${event.turn}`
    const known = byKey.get(key)
    if (known !== undefined) return known
    const totals = { tokens: 0, calls: 0, failed: 0, compactions: 0 }
    const turn: Turn = { key, number: event.turn, replayed, items: [], ...totals }
    byKey.set(key, turn)
    turns.push(turn)
    return turn
  }

  function runOf(agent: number, event: PageEvent, index: number): AgentRun {
    const known = runs.get(agent)
    if (known !== undefined) return known
    const call = event.type === 'subagent_start' ? calls.get(callKey(event)) : undefined
    const free = call !== undefined && call.agent === undefined && homeOf.get(call)?.agent !== agent
    const parent: Item = free ? call : { key: `agent-${agent}`, index }
    const run: AgentRun = { agent, items: [], parent }
    runs.set(agent, run)
    parent.agent = run
    if (free) return run
    open.add(agent)
    const above = session.agents[agent]?.parent ?? 0
    place(parent, open.has(above) ? 0 : above, event, index)
    open.delete(agent)
    return run
  }

  function place(item: Item, agent: number, event: PageEvent, index: number): void {
    const run = agent === 0 ? undefined : runOf(agent, event, index)
    const turn = (run && turnOf.get(run.parent)) ?? turnAt(event)
    if (run !== undefined) homeOf.set(item, run)
    turnOf.set(item, turn)
    ;(run ?? turn).items.push(item)
  }

  function add(event: PageEvent, index: number): void {
    const item = itemFor(event, index)
    items.set(index, item)
    tally(turnOf.get(item) ?? turnAt(event), event, index)
    for (const [number, note] of notes.get(index) ?? []) {
      const agent = homeOf.get(item)?.agent ?? 0
      place({ key: `note-${number}`, index, note }, agent, event, index)
    }
  }

  function itemFor(event: PageEvent, index: number): Item {
    if (event.type === 'tool_result') {
      const call = calls.get(callKey(event))
      if (call !== undefined && call.result === undefined) {
        call.result = index
        return call
      }
    }
    if (event.child !== undefined && event.child !== 0) return runOf(event.child, event, index).parent
    const item: Item = { key: event.id, index }
    place(item, event.agent, event, index)
    if (event.type === 'tool_call') calls.set(callKey(event), item)
    return item
  }

  return { add, done: () => ({ turns, itemOf: items, turnOf, homeOf }) }
}

function notesByEvent(notes: readonly PageNote[]): Map<number, [number: number, note: PageNote][]> {
  const byEvent = new Map<number, [number, PageNote][]>()
  for (const [number, note] of notes.entries())
    if (note.after !== undefined) addTo(byEvent, note.after, [number, note])
  return byEvent
}

function addTo<T>(lists: Map<number, T[]>, key: number, value: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** Makes the id of a call unique, since ids repeat in copied history. */
function callKey(event: PageEvent): string {
  return `${event.replayed ? 'r' : ''}${event.callId}`
}

function tally(turn: Turn, event: PageEvent, index: number): void {
  turn.tokens += event.tokens
  if (event.type === 'tool_call') turn.calls += 1
  if (event.type === 'compaction') turn.compactions += 1
  if (isFailure(event)) turn.failed += 1
  // A subagent's own log begins with the task that another agent gave.
  if (event.type === 'user' || (event.type === 'context' && event.origin === 'agent')) turn.prompt ??= index
  if (event.time === undefined) return
  turn.start = Math.min(turn.start ?? event.time, event.time)
  turn.end = Math.max(turn.end ?? event.time, event.time)
}

export function isFailure(event: PageEvent | undefined): boolean {
  return event?.type === 'tool_result' && (event.status === 'error' || event.status === 'denied')
}

/** How long a call took, in milliseconds, if the log says when it began and ended. */
export function durationOf(call: PageEvent, result: PageEvent | undefined): number | undefined {
  if (call.time === undefined || result?.time === undefined || result.time < call.time) return undefined
  return result.time - call.time
}

export function agentName(agent: PageAgent | undefined): string {
  return agent === undefined ? 'agent' : (agent.title ?? agent.type ?? agent.id)
}

function statementsOf(bundle: PageBundle | undefined): Statement[] {
  return (bundle?.sections ?? [])
    .flatMap(({ title: section, statements }) => statements.map((each) => ({ ...each, section })))
    .map((statement, number) => ({ ...statement, number }))
}

function citations(statements: readonly Statement[]): Map<number, Statement[]> {
  const cited = new Map<number, Statement[]>()
  for (const statement of statements) for (const index of statement.evidence) addTo(cited, index, statement)
  return cited
}

/** A run of similar calls is one excerpt: it represents the events of its agent between its ends. */
function keptEvents({ bundle, events }: PageData): Map<number, PageExcerpt> {
  const kept = new Map<number, PageExcerpt>()
  for (const excerpt of bundle?.trail ?? []) {
    const agent = events[excerpt.event]?.agent
    for (let index = excerpt.event; index <= excerpt.until; index++)
      if (events[index]?.agent === agent) kept.set(index, excerpt)
  }
  return kept
}
