import type { TokenUsage } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import type { AgentNode } from '@tenfold/core/readers'
import { formatBytes, formatCount, formatDuration, formatNumberOf, formatShare } from '../terminal/numbers.ts'
import { type Column, fitCell, formatTable, wrapText } from '../terminal/table.ts'
import type { Screen, Style } from '../terminal/terminal.ts'
import type { Inspection } from './inspect-session.ts'

const text: Column = { title: '' }
const number: Column = { title: '', align: 'right' }
const barWidth = 24
const shownAgents = 40
const shownNotes = 20

/** The lines that report an inspected log. A session holds text as the log had it, so each text is cleaned here. */
export function inspectionLines(inspection: Inspection, screen: Screen): string[] {
  const { style } = screen
  const width = screen.columns - 2
  const { tokens, events } = inspection
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', style.bold(title), ...lines.map((line) => `  ${line}`)]
  return [
    style.bold(inspection.log === '-' ? 'stdin' : cleanLine(inspection.log)),
    ...headLines(inspection).map((line) => `  ${fitCell(line, width)}`),
    ...section(
      `${formatCount(tokens.total)} source tokens (${tokens.counter})`,
      categoryLines(inspection, style, width),
    ),
    ...section(formatNumberOf(inspection.agents.length, 'agent'), agentLines(inspection, width)),
    ...section(formatNumberOf(events.total, 'event'), wrapText(eventLine(inspection), width)),
    ...section(formatNumberOf(inspection.lines.lines, 'line'), lineLines(inspection, style)),
    ...section('Usage billed for the session', usageLines(inspection, width)),
    ...section('Largest events', largestLines(inspection, width)),
    ...section(formatNumberOf(inspection.notes.length, 'note'), noteLines(inspection, screen)),
  ]
}

function headLines({
  format,
  agentVersion,
  sessionId,
  title,
  startedAt,
  endedAt,
  models,
  ...rest
}: Inspection): string[] {
  const agent = agentVersion === undefined ? format : `${format} ${cleanLine(agentVersion)}`
  const lasted =
    startedAt === undefined || endedAt === undefined
      ? undefined
      : `${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${formatDuration(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)))}`
  const size = `${formatNumberOf(rest.files.length, 'file')}, ${formatBytes(rest.bytes)}`
  const images = rest.images === 0 ? undefined : formatNumberOf(rest.images, 'image')
  const where = [rest.cwd, rest.branch && `branch ${rest.branch}`].filter((text) => text !== undefined)
  return [
    ...(title === undefined ? [] : [`“${cleanLine(title)}”`]),
    `${agent} · session ${cleanLine(sessionId)}`,
    [lasted, size, images].filter((text) => text !== undefined).join(' · '),
    ...(where.length === 0 ? [] : [cleanLine(where.join(', '))]),
    ...(models.length === 0 ? [] : [`models: ${models.map(cleanLine).join(', ')}`]),
  ]
}

function categoryLines({ tokens }: Inspection, style: Style, width: number): string[] {
  const columns: Column[] = [text, number, number, { ...text, drop: 1 }]
  const rows = tokens.byCategory
    .filter((part) => part.tokens > 0)
    .sort((a, b) => b.tokens - a.tokens)
    .map((part) => [
      part.category.replace('_', ' '),
      formatCount(part.tokens),
      formatShare(part.share),
      style.dim('█'.repeat(Math.max(1, Math.round(part.share * barWidth)))),
    ])
  const { harness, total } = tokens
  const share = harness / Math.max(1, harness + total)
  return [
    ...formatTable(columns, rows, width),
    ...(harness === 0
      ? []
      : [
          style.dim(
            `not counted: ${formatCount(harness)} of the harness itself, ${formatShare(share)} of the log`,
          ),
        ]),
  ]
}

function agentLines({ agents, tokens }: Inspection, width: number): string[] {
  const sizes = new Map(tokens.byAgent.map((part) => [part.agent, part]))
  const tree = agentTree(agents)
  const rows = tree.slice(0, shownAgents).map(({ agent, depth }) => {
    const size = sizes.get(agent.id)
    const about = [agent.type, agent.title].filter((text) => text !== undefined).map(cleanLine)
    return [
      `${'  '.repeat(Math.min(depth, 10))}${cleanLine(agent.id)}`,
      formatCount(size?.tokens ?? 0),
      formatShare(size?.share ?? 0),
      about.join(': '),
    ]
  })
  const columns: Column[] = [{ ...text, max: 44 }, number, number, { ...text, max: 50 }]
  const more = tree.length > shownAgents ? [`… ${tree.length - shownAgents} more`] : []
  return [...formatTable(columns, rows, width), ...more]
}

function eventLine({ events }: Inspection): string {
  const types = events.byType.map(
    ({ type, events: count }) => `${formatCount(count)} ${type.replace('_', ' ')}`,
  )
  const copied =
    events.copied === 0 ? [] : [`${formatCount(events.copied)} copied from a parent session (not counted)`]
  const rewound = events.rewound === 0 ? [] : [`${formatCount(events.rewound)} undone by a rewind`]
  return [...types, ...copied, ...rewound].join(', ')
}

function lineLines({ lines }: Inspection, style: Style): string[] {
  const fates: [string, number][] = [
    ['became events', lines.events],
    ['of an unknown kind, kept raw', lines.other],
    ['became notes', lines.notes],
    ['blank', lines.blank],
    ...lines.absorbed.map(({ reason, lines: count }): [string, number] => [cleanLine(reason), count]),
  ]
  const rows = fates.filter(([, count]) => count > 0).map(([reason, count]) => [formatCount(count), reason])
  const check = lines.addsUp
    ? style.green('every line is accounted for')
    : style.red('the numbers do not add up: please report this log format')
  return [...formatTable([number, text], rows), check]
}

const usageColumns: readonly { title: string; key: keyof TokenUsage; drop?: number }[] = [
  { title: 'INPUT', key: 'inputTokens' },
  { title: 'CACHE READ', key: 'cacheReadTokens', drop: 1 },
  { title: 'CACHE WRITE', key: 'cacheWriteTokens', drop: 2 },
  { title: 'OUTPUT', key: 'outputTokens' },
  { title: 'REASONING', key: 'reasoningTokens', drop: 3 },
]

function usageLines({ usage }: Inspection, width: number): string[] {
  if (Object.keys(usage.total).length === 0) return []
  const columns = usageColumns.filter(({ key }) => usage.total[key] !== undefined)
  const row = (name: string, part: TokenUsage): string[] => [
    cleanLine(name),
    ...columns.map(({ key }) => (part[key] === undefined ? '' : formatCount(part[key]))),
  ]
  const byAgent = usage.byAgent.length < 2 ? [] : usage.byAgent.slice(0, shownAgents)
  const rows = [
    row('total', usage.total),
    ...usage.byModel.map((part) => row(part.model, part)),
    ...byAgent.map((part) => row(part.agent, part)),
  ]
  return formatTable(
    [
      { title: '', max: 44 },
      ...columns.map(({ key: _, ...column }): Column => ({ ...column, align: 'right' })),
    ],
    rows,
    width,
  )
}

function largestLines({ largest }: Inspection, width: number): string[] {
  const rows = largest.map((event) => [
    event.event,
    formatCount(event.tokens),
    formatShare(event.share),
    event.type.replace('_', ' '),
    cleanLine(event.tool ?? event.origin ?? ''),
    event.agent === 'main' ? '' : cleanLine(event.agent),
    `${cleanLine(event.file)}:${event.line}`,
  ])
  const name = { ...text, max: 24 }
  const columns: Column[] = [text, number, { ...number, drop: 1 }, text, name, { ...name, drop: 2 }, text]
  return formatTable(columns, rows, width)
}

function noteLines({ notes }: Inspection, { columns, verbose }: Screen): string[] {
  const most = verbose ? notes.length : shownNotes
  const lines = notes.slice(0, most).flatMap(({ code, message, file, line, count }) => {
    const place = [file, line].filter((part) => part !== undefined).join(':')
    const times = count === undefined ? '' : ` ×${count}`
    return wrapText(cleanLine(`${code}${times}: ${message}${place === '' ? '' : ` (${place})`}`), columns - 2)
  })
  return notes.length > most ? [...lines, `… ${notes.length - most} more; --verbose prints them`] : lines
}

/**
 * Orders agents as a tree: each after its parent, with its depth. An agent whose parent is unknown is at the top; each
 * agent comes once.
 */
function agentTree(agents: readonly AgentNode[]): { readonly agent: AgentNode; readonly depth: number }[] {
  const known = new Set(agents.map((agent) => agent.id))
  const children = new Map<string, AgentNode[]>()
  for (const agent of agents) {
    if (agent.parent === undefined) continue
    const siblings = children.get(agent.parent)
    if (siblings === undefined) children.set(agent.parent, [agent])
    else siblings.push(agent)
  }
  const tree: { agent: AgentNode; depth: number }[] = []
  const seen = new Set<string>()
  const visit = (root: AgentNode): void => {
    const open = [{ agent: root, depth: 0 }]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next.agent.id)) continue
      seen.add(next.agent.id)
      tree.push(next)
      const depth = next.depth + 1
      open.push(...(children.get(next.agent.id) ?? []).toReversed().map((agent) => ({ agent, depth })))
    }
  }
  for (const agent of agents) if (agent.parent === undefined || !known.has(agent.parent)) visit(agent)
  // Only cycles are left.
  for (const agent of agents) visit(agent)
  return tree
}
