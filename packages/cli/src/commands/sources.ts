import { cleanLine, thisPlace } from '@tenfold/core/internal'
import { findAgentLogs, sourceAgents } from '@tenfold/core/readers'
import { option, type ValuesOf } from '../options/option.ts'
import { storeOption } from '../options/options.ts'
import { agentOption } from '../sources/agent-option.ts'
import { countLogs, type SourceCount, sourcesOfStore } from '../sources/count-logs.ts'
import { type LogDigests, openDigests } from '../state/digest-logs.ts'
import { openSeen } from '../state/seen-logs.ts'
import { failureOf } from '../terminal/failure.ts'
import { formatBytes, formatCount, formatNumberOf } from '../terminal/numbers.ts'
import { printTable } from '../terminal/table.ts'
import type { CommandContext, Terminal } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const sourcesOptions = [storeOption, agentOption, option('--json', 'print a JSON array')] as const

export const addCommand = defineCommand({
  name: 'sources',
  description:
    'List the agents that keep sessions on this machine: how many, how large, not compressed yet, soon deleted.',
  options: sourcesOptions,
  help: `
A session counts as compressed if a hook, a sweep or the given store made a bundle of it; logs are compared by digest.
aider and SpecStory logs are searched for in this folder.

Examples:
  tenfold sources
  tenfold sources --json | jq '.[] | select(.uncompressed > 0) | .agent'`,
  run: listSources,
})

async function listSources(
  options: ValuesOf<typeof sourcesOptions>,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const place = thisPlace()
  const compressed = {
    digests: openDigests(),
    seen: openSeen(),
    sources: await sourcesOfStore(options.store, terminal),
  }
  const counts: SourceCount[] = []
  for (const agent of options.agent ?? sourceAgents) {
    signal.throwIfAborted()
    const finding = await findAgentLogs(agent, place)
    if (finding.folders.length === 0 && finding.logs.length === 0 && finding.faults.length === 0) continue
    counts.push(await countLogs(finding, place, compressed))
  }
  keepDigests(compressed.digests, terminal)
  if (options.json) return terminal.printJson(counts, 2)
  for (const { faults } of counts) for (const fault of faults) terminal.warn(`warning: ${cleanLine(fault)}`)
  if (counts.length === 0) return terminal.note('No sessions of a known agent were found on this machine.')
  printTable(terminal, columns, counts.map(rowOf))
  const open = counts.reduce((sum, count) => sum + count.uncompressed, 0)
  if (open > 0)
    terminal.say(
      terminal.style.dim(`${formatNumberOf(open, 'session')} not compressed; to compress: tenfold sweep`),
    )
}

/**
 * A failure is only a warning: the list is useful even if nothing can be written, and the next one just takes longer.
 */
function keepDigests(digests: LogDigests, terminal: Terminal): void {
  try {
    digests.save()
  } catch (error) {
    terminal.warn(`warning: the digests of logs could not be saved: ${failureOf(error).message}`)
  }
}

const columns = [
  { title: 'AGENT' },
  { title: 'LOGS', align: 'right' },
  { title: 'SIZE', align: 'right', drop: 3 },
  { title: 'NEWEST', drop: 1 },
  { title: 'NOT COMPRESSED', align: 'right' },
  { title: 'DELETED AFTER', drop: 2 },
  { title: 'FOLDER', max: 60 },
] as const

function rowOf({
  agent,
  logs,
  sessions,
  bytes,
  newest,
  uncompressed,
  retention,
  folders,
}: SourceCount): string[] {
  const count =
    sessions > logs ? `${formatCount(logs)} (${formatCount(sessions)} sessions)` : formatCount(logs)
  return [
    agent,
    count,
    formatBytes(bytes),
    newest?.slice(0, 16).replace('T', ' ') ?? '',
    formatCount(uncompressed),
    retention === undefined ? '' : deletedText(retention),
    folders.map(cleanLine).join(', '),
  ]
}

function deletedText({ days, soon, soonUncompressed }: NonNullable<SourceCount['retention']>): string {
  const after = `${Number(days.toFixed(1))} d`
  if (soon === 0) return after
  return `${after}, ${formatCount(soon)} within a week${soonUncompressed > 0 ? `, ${formatCount(soonUncompressed)} of them not compressed` : ''}`
}
