import { type TokenUsage, tiktokenCounter } from '@tenfold/core'
import { cleanLine, learnSession } from '@tenfold/core/internal'
import { type AgentNode, measureSession } from '@tenfold/core/readers'
import { createRedaction } from '@tenfold/core/redact'
import { type Inspection, inspectSession } from '../inspect/inspect-session.ts'
import { gatherLogs, logArguments, readable, readLog, stdinTwice, tellFound } from '../logs/gather-logs.ts'
import { makeRedactors, readerOptions, redactOptions } from '../options/log-options.ts'
import { option } from '../options/option.ts'
import { failureOfLog } from '../terminal/failure.ts'
import { showProgress } from '../terminal/progress.ts'
import { type ColumnOf, type Lines, present, tableOf } from '../terminal/report.ts'
import { fitCell, formatTable, wrapText } from '../terminal/table.ts'
import { exitCodes, type Screen } from '../terminal/terminal.ts'
import { formatBytes, formatCount, formatDuration, formatNumberOf, formatShare } from '../terminal/text.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'inspect',
  description:
    'Print how the tokens of logs divide into categories and agents, with events, lines, usage and notes.',
  arguments: [['<log...>', logArguments]],
  options: [
    option('--json', 'print one line of JSON per log; for folders, also one about their other files'),
    ...readerOptions,
    ...redactOptions,
  ],
  help: `
Examples:
  tenfold inspect session.jsonl
  tenfold inspect --json logs/ | jq '.tokens.total // empty'`,
  fault: (_, logs) => stdinTwice(logs),
  async run({ json, reading, ...redact }, { terminal, signal }, paths) {
    const { logs, found } = await gatherLogs(paths, { reading }, { terminal, signal })
    const redactors = await makeRedactors(redact)
    const progress = showProgress(terminal)
    let failed = 0
    for (const [index, argument] of logs.entries()) {
      try {
        const log = readable(argument)
        const { session } = await readLog(log, { reading, signal, progress })
        progress(log, { step: 'plan', events: session.events.length })
        const inspected = inspectSession(log, session, measureSession(session, tiktokenCounter()))
        // Titles, paths and notes quote the log. Tokens are counted before redaction.
        const redaction = createRedaction(redactors)
        learnSession(session, redaction)
        const inspection = redaction.redactValue(inspected)
        if (json) terminal.printJson(inspection)
        else
          terminal.print([...(index === 0 ? [] : ['']), ...inspectionLines(inspection, terminal)].join('\n'))
      } catch (error) {
        if (signal.aborted) {
          terminal.warn(`Interrupted: ${index} of ${formatNumberOf(logs.length, 'log')} inspected.`)
          return exitCodes.interrupted
        }
        const fault = failureOfLog(argument.log, error)
        if (json) terminal.printJson({ log: argument.log, error: fault })
        terminal.fail(fault.message)
        failed += 1
      }
    }
    tellFound(found, terminal, (text) => terminal.say(`\n${text}`))
    return failed > 0 ? exitCodes.failed : exitCodes.done
  },
})

const barWidth = 24
const shownAgents = 40
const shownNotes = 20

/** The lines of the report. A session has the log's text unchanged, so each text is cleaned here. */
function inspectionLines(inspection: Inspection, screen: Screen): string[] {
  const { tokens, agents, events, lines, notes, largest } = inspection
  const { style } = screen
  const width = screen.columns - 2
  const section = (title: string, lines: Lines): string[] => {
    const texts = present(lines).map((line) => `  ${line}`)
    return texts.length === 0 ? [] : ['', style.bold(title), ...texts]
  }
  const table = <Item>(items: readonly Item[], columns: readonly ColumnOf<Item>[]): string[] => {
    const made = tableOf(items, columns)
    return formatTable(made.columns, made.rows, width)
  }
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
          ['', ({ category }) => category.replace('_', ' ')],
          ['', (part) => formatCount(part.tokens), { align: 'right' }],
          ['', ({ share }) => formatShare(share), { align: 'right' }],
          [
            '',
            ({ share }) => style.dim('█'.repeat(Math.max(1, Math.round(share * barWidth)))),
            { drop: 1, isClean: true },
          ],
        ],
      ),
      harness > 0 &&
        style.dim(`not counted: ${formatCount(harness)} of the harness itself, ${harnessShare} of the log`),
    ]),
    ...section(formatNumberOf(agents.length, 'agent'), [
      ...table(tree.slice(0, shownAgents), [
        [
          '',
          ({ agent, depth }) => `${'  '.repeat(Math.min(depth, 10))}${cleanLine(agent.id)}`,
          { max: 44, isClean: true },
        ],
        ['', ({ agent }) => formatCount(sizes.get(agent.id)?.tokens ?? 0), { align: 'right' }],
        ['', ({ agent }) => formatShare(sizes.get(agent.id)?.share ?? 0), { align: 'right' }],
        ['', ({ agent: { type, title } }) => [type, title].filter(Boolean).join(': '), { max: 50 }],
      ]),
      tree.length > shownAgents && `… and ${tree.length - shownAgents} more`,
    ]),
    ...section(formatNumberOf(events.total, 'event'), wrapText(eventLine(inspection), width)),
    ...section(formatNumberOf(lines.lines, 'line'), [
      ...table(fatesOf(inspection), [
        ['', ([, count]) => formatCount(count), { align: 'right' }],
        ['', ([reason]) => reason],
      ]),
      lines.addsUp
        ? style.green('every line is accounted for')
        : style.red('the numbers do not add up: please report this log format'),
    ]),
    ...section('Usage billed for the session', usageLines(inspection, table)),
    ...section(
      'Largest events',
      table(largest, [
        ['', ({ event }) => event],
        ['', (each) => formatCount(each.tokens), { align: 'right' }],
        ['', ({ share }) => formatShare(share), { align: 'right', drop: 1 }],
        ['', ({ type }) => type.replace('_', ' ')],
        ['', ({ tool, origin }) => tool ?? origin, { max: 24 }],
        ['', ({ agent }) => (agent === 'main' ? '' : agent), { max: 24, drop: 2 }],
        ['', ({ file, line }) => `${file}:${line}`],
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
  return present([
    ...byType.map(({ type, events }) => `${formatCount(events)} ${type.replace('_', ' ')}`),
    copied > 0 && `${formatCount(copied)} copied from a parent session (not counted)`,
    rewound > 0 && `${formatCount(rewound)} undone by a rewind`,
  ]).join(', ')
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

const usageColumns: readonly (readonly [title: string, key: keyof TokenUsage, drop?: number])[] = [
  ['INPUT', 'inputTokens'],
  ['CACHE READ', 'cacheReadTokens', 1],
  ['CACHE WRITE', 'cacheWriteTokens', 2],
  ['OUTPUT', 'outputTokens'],
  ['REASONING', 'reasoningTokens', 3],
]

type UsageRow = TokenUsage & { readonly name: string }

function usageLines(
  { usage: { total, byModel, byAgent } }: Inspection,
  table: (rows: readonly UsageRow[], columns: readonly ColumnOf<UsageRow>[]) => string[],
): string[] {
  if (Object.keys(total).length === 0) return []
  const columns = usageColumns.filter(([, key]) => total[key] !== undefined)
  const rows = [
    { name: 'total', ...total },
    ...byModel.map(({ model, ...part }) => ({ name: model, ...part })),
    ...(byAgent.length < 2 ? [] : byAgent.slice(0, shownAgents)).map(({ agent, ...part }) => ({
      name: agent,
      ...part,
    })),
  ]
  return table(rows, [
    ['', ({ name }) => name, { max: 44 }],
    ...columns.map(([title, key, drop = 0]): ColumnOf<UsageRow> => {
      const cell = (row: UsageRow) => (row[key] === undefined ? '' : formatCount(row[key]))
      return [title, cell, { align: 'right', drop }]
    }),
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
 * Orders agents as a tree, each after its parent, with its depth. An agent with an unknown parent is at the top. Each
 * agent appears once, even if it is its own ancestor.
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
  // The remaining agents are in cycles.
  for (const agent of agents) if (!depths.has(agent)) depths.set(agent, 0)
  return [...depths].map(([agent, depth]) => ({ agent, depth }))
}
