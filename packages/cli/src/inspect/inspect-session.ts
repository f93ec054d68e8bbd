import type { Session, SessionEvent } from '@tenfold/core'
import { sessionTitle, tokenCategories, totalUsage, usageBy } from '@tenfold/core/internal'
import type { LineAccount, SessionTokens } from '@tenfold/core/readers'

export type Inspection = ReturnType<typeof inspectSession>

const largestEvents = 10

export function inspectSession(log: string, session: Session, tokens: SessionTokens) {
  const { id, format, agentVersion, cwd, branch, startedAt, endedAt, source } = session
  const shareOf = (part: number) => (tokens.total === 0 ? 0 : Number((part / tokens.total).toFixed(4)))
  return {
    ...{ log, format, agentVersion, sessionId: id, title: sessionTitle(session), cwd, branch },
    ...{ startedAt, endedAt },
    ...{ models: session.models, files: source.files, bytes: source.bytes, images: source.images },
    tokens: {
      counter: tokens.counter,
      total: tokens.total,
      byCategory: tokenCategories.map((category) => {
        const part = tokens.byCategory.get(category) ?? 0
        return { category, tokens: part, share: shareOf(part) }
      }),
      byAgent: [...tokens.byAgent].map(([agent, part]) => ({ agent, tokens: part, share: shareOf(part) })),
      // Text of the harness (system prompts, listings, briefs), which is not part of the total.
      harness: tokens.harness,
    },
    events: countEvents(session.events),
    lines: accountOf(source.account),
    agents: session.agents,
    usage: {
      total: totalUsage(session.usage),
      byAgent: usageBy(session.usage, 'agent').map(([agent, usage]) => ({ agent, ...usage })),
      byModel: usageBy(session.usage, 'model').map(([model, usage]) => ({ model, ...usage })),
    },
    notes: session.notes,
    largest: largestOf(session, tokens, shareOf),
  }
}

function countEvents(events: readonly SessionEvent[]) {
  const byType = new Map<SessionEvent['type'], number>()
  for (const { type } of events) byType.set(type, (byType.get(type) ?? 0) + 1)
  return {
    total: events.length,
    copied: events.filter((event) => event.copied).length,
    rewound: events.filter((event) => event.inContext === false).length,
    byType: [...byType].map(([type, count]) => ({ type, events: count })).sort((a, b) => b.events - a.events),
  }
}

function accountOf(account: LineAccount) {
  const absorbed = account.absorbed
    .map(([reason, lines]) => ({ reason, lines }))
    .sort((a, b) => b.lines - a.lines)
  const sum = absorbed.reduce(
    (total, { lines }) => total + lines,
    account.events + account.other + account.notes + account.blank,
  )
  // Each line counts in exactly one category.
  return { ...account, absorbed, addsUp: sum === account.lines }
}

function largestOf(session: Session, tokens: SessionTokens, shareOf: (part: number) => number) {
  const tools = new Map<string, string>()
  for (const event of session.events) if (event.type === 'tool_call') tools.set(event.callId, event.name)
  const toolOf = (event: SessionEvent): string | undefined =>
    event.type === 'tool_call'
      ? event.name
      : event.type === 'tool_result'
        ? tools.get(event.callId)
        : undefined
  return session.events
    .map((event, index) => ({ event, size: tokens.byEvent[index] ?? 0 }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size)
    .slice(0, largestEvents)
    .map(({ event, size }) => {
      const tool = toolOf(event)
      return {
        event: event.id,
        type: event.type,
        agent: event.agent,
        tool,
        ...('origin' in event && { origin: event.origin }),
        tokens: size,
        share: shareOf(size),
        file: session.source.files[event.source.file]?.name ?? '',
        line: event.source.line,
      }
    })
}
