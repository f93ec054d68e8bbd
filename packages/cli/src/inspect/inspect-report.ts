import type { TokenUsage } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import type { AgentNode } from '@tenfold/core/readers'
import { formatBytes, formatCount, formatDuration, formatNumberOf, formatShare } from '../terminal/numbers.ts'
import { type ColumnOf, tableOf } from '../terminal/report.ts'
import { fitCell, formatTable, wrapText } from '../terminal/table.ts'
import type { Screen } from '../terminal/terminal.ts'
import type { Inspection } from './inspect-session.ts'

const barWidth = 24
const shownAgents = 40
const shownNotes = 20

/** The lines that report an inspected log. A session holds text as the log had it, so each text is cleaned here. */
export function inspectionLines(inspection: Inspection, screen: Screen): string[] {
  const { tokens, agents, events, lines, notes, largest } = inspection
  const { style } = screen
  const width = screen.columns - 2
  const section = (title: string, texts: readonly string[]): string[] =>
    texts.length === 0 ? [] : ['', style.bold(title), ...texts.map((line) => `  ${line}`)]
  const table = <Item>(items: readonly Item[], columns: readonly ColumnOf<Item>[]): string[] => {
    const made = tableOf(items, columns)
    return formatTable(made.columns, made.rows, width)
  }
  const number = { title: '', align: 'right' } as const
  const { harness, total } = tokens
  const harnessShare = formatShare(harness / Math.max(1, harness + total))
  const sizes = new Map(tokens.byAgent.map((part) => [part.agent, part]))
  const tree = agentTree(agents)
  return [
    style.bold(inspection.log === '-' ? 'stdin' : cleanLine(inspection.log)),
    ...headLines(inspection).map((line) => `  ${fitCell(cleanLine(line), width)}`),
    ...section(`${formatCount(total)} source tokens (${tokens.counter})`, [
      ...table(
        tokens.byCategory.filter((part) => part.tokens > 0).sort((a, b) => b.tokens - a.tokens),
        [
          { title: '', cell: ({ category }) => category.replace('_', ' ') },
          { ...number, cell: (part) => formatCount(part.tokens) },
          { ...number, cell: ({ share }) => formatShare(share) },
          {
            ...{ title: '', drop: 1, isClean: true },
            cell: ({ share }) => style.dim('█'.repeat(Math.max(1, Math.round(share * barWidth)))),
          },
        ],
      ),
      ...(harness === 0
        ? []
        : [
            style.dim(
              `not counted: ${formatCount(harness)} of the harness itself, ${harnessShare} of the log`,
            ),
          ]),
    ]),
    ...section(formatNumberOf(agents.length, 'agent'), [
      ...table(tree.slice(0, shownAgents), [
        {
          ...{ title: '', max: 44, isClean: true },
          cell: ({ agent, depth }) => `${'  '.repeat(Math.min(depth, 10))}${cleanLine(agent.id)}`,
        },
        { ...number, cell: ({ agent }) => formatCount(sizes.get(agent.id)?.tokens ?? 0) },
        { ...number, cell: ({ agent }) => formatShare(sizes.get(agent.id)?.share ?? 0) },
        {
          title: '',
          max: 50,
          cell: ({ agent: { type, title } }) => [type, title].filter(Boolean).join(': '),
        },
      ]),
      ...(tree.length > shownAgents ? [`… and ${tree.length - shownAgents} more`] : []),
    ]),
    ...section(formatNumberOf(events.total, 'event'), wrapText(eventLine(inspection), width)),
    ...section(formatNumberOf(lines.lines, 'line'), [
      ...table(fatesOf(inspection), [
        { ...number, cell: ([, count]) => formatCount(count) },
        { title: '', cell: ([reason]) => reason },
      ]),
      lines.addsUp
        ? style.green('every line is accounted for')
        : style.red('the numbers do not add up: please report this log format'),
    ]),
    ...section('Usage billed for the session', usageLines(inspection, table)),
    ...section(
      'Largest events',
      table(largest, [
        { title: '', cell: ({ event }) => event },
        { ...number, cell: (each) => formatCount(each.tokens) },
        { ...number, drop: 1, cell: ({ share }) => formatShare(share) },
        { title: '', cell: ({ type }) => type.replace('_', ' ') },
        { title: '', max: 24, cell: ({ tool, origin }) => tool ?? origin },
        { title: '', max: 24, drop: 2, cell: ({ agent }) => (agent === 'main' ? '' : agent) },
        { title: '', cell: ({ file, line }) => `${file}:${line}` },
      ]),
    ),
    ...section(formatNumberOf(notes.length, 'note'), noteLines(inspection, screen)),
  ]
}

function headLines(inspection: Inspection): string[] {
  const { format, agentVersion, sessionId, title, startedAt, endedAt, models, files, images } = inspection
  const lasted =
    startedAt !== undefined &&
    endedAt !== undefined &&
    `${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${formatDuration(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)))}`
  const size = `${formatNumberOf(files.length, 'file')}, ${formatBytes(inspection.bytes)}`
  const { cwd, branch } = inspection
  return [
    title && `“${title}”`,
    `${[format, agentVersion].filter(Boolean).join(' ')} · session ${sessionId}`,
    [lasted, size, images > 0 && formatNumberOf(images, 'image')].filter(Boolean).join(' · '),
    [cwd, branch && `branch ${branch}`].filter(Boolean).join(', '),
    models.length > 0 && `models: ${models.join(', ')}`,
  ].filter((line) => typeof line === 'string' && line !== '') as string[]
}

function eventLine({ events: { byType, copied, rewound } }: Inspection): string {
  return [
    ...byType.map(({ type, events }) => `${formatCount(events)} ${type.replace('_', ' ')}`),
    ...(copied === 0 ? [] : [`${formatCount(copied)} copied from a parent session (not counted)`]),
    ...(rewound === 0 ? [] : [`${formatCount(rewound)} undone by a rewind`]),
  ].join(', ')
}

function fatesOf({ lines }: Inspection): [reason: string, lines: number][] {
  const fates: [string, number][] = [
    ['became events', lines.events],
    ['of an unknown kind, kept raw', lines.other],
    ['became notes', lines.notes],
    ['blank', lines.blank],
    ...lines.absorbed.map(({ reason, lines: count }): [string, number] => [reason, count]),
  ]
  return fates.filter(([, count]) => count > 0)
}

const usageColumns: readonly { title: string; key: keyof TokenUsage; drop?: number }[] = [
  { title: 'INPUT', key: 'inputTokens' },
  { title: 'CACHE READ', key: 'cacheReadTokens', drop: 1 },
  { title: 'CACHE WRITE', key: 'cacheWriteTokens', drop: 2 },
  { title: 'OUTPUT', key: 'outputTokens' },
  { title: 'REASONING', key: 'reasoningTokens', drop: 3 },
]

type UsageRow = TokenUsage & { readonly name: string }

function usageLines(
  { usage: { total, byModel, byAgent } }: Inspection,
  table: (rows: readonly UsageRow[], columns: readonly ColumnOf<UsageRow>[]) => string[],
): string[] {
  if (Object.keys(total).length === 0) return []
  const columns = usageColumns.filter(({ key }) => total[key] !== undefined)
  const rows = [
    { name: 'total', ...total },
    ...byModel.map(({ model, ...part }) => ({ name: model, ...part })),
    ...(byAgent.length < 2 ? [] : byAgent.slice(0, shownAgents)).map(({ agent, ...part }) => ({
      name: agent,
      ...part,
    })),
  ]
  return table(rows, [
    { title: '', max: 44, cell: ({ name }) => name },
    ...columns.map(
      ({ key, ...column }): ColumnOf<UsageRow> => ({
        ...column,
        align: 'right',
        cell: (row) => (row[key] === undefined ? '' : formatCount(row[key])),
      }),
    ),
  ])
}

function noteLines({ notes }: Inspection, { columns, verbose }: Screen): string[] {
  const most = verbose ? notes.length : shownNotes
  const lines = notes.slice(0, most).flatMap(({ code, message, file, line, count }) => {
    const place = [file, line].filter((part) => part !== undefined).join(':')
    const times = count === undefined ? '' : ` ×${count}`
    return wrapText(cleanLine(`${code}${times}: ${message}${place === '' ? '' : ` (${place})`}`), columns - 2)
  })
  return notes.length > most ? [...lines, `… and ${notes.length - most} more; --verbose prints them`] : lines
}

/**
 * Orders agents as a tree: each after its parent, with its depth. An agent whose parent is unknown is at the top; each
 * agent comes once, also if they are their own ancestors.
 */
function agentTree(agents: readonly AgentNode[]): { readonly agent: AgentNode; readonly depth: number }[] {
  const known = new Set(agents.map((agent) => agent.id))
  const children = new Map<string | undefined, AgentNode[]>()
  for (const agent of agents) {
    const parent = known.has(agent.parent ?? '') ? agent.parent : undefined
    children.set(parent, [...(children.get(parent) ?? []), agent])
  }
  const depths = new Map<AgentNode, number>()
  const open = (children.get(undefined) ?? []).toReversed().map((agent) => ({ agent, depth: 0 }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { agent, depth } = next
    if (depths.has(agent)) continue
    depths.set(agent, depth)
    const below = children.get(agent.id) ?? []
    open.push(...below.toReversed().map((child) => ({ agent: child, depth: depth + 1 })))
  }
  // Only cycles are left.
  for (const agent of agents) if (!depths.has(agent)) depths.set(agent, 0)
  return [...depths].map(([agent, depth]) => ({ agent, depth }))
}
