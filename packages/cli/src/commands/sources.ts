import { cleanLine, thisPlace } from '@tenfold/core/internal'
import { findAgentLogs, sourceAgents } from '@tenfold/core/readers'
import { storeOption } from '../options/options.ts'
import { agentOption } from '../sources/agent-option.ts'
import { countLogs, type SourceCount, sourcesOfStore } from '../sources/count-logs.ts'
import { openDigests } from '../state/digest-logs.ts'
import { openSeen } from '../state/seen-logs.ts'
import { failureOf } from '../terminal/failure.ts'
import { formatBytes, formatCount, formatNumberOf } from '../terminal/numbers.ts'
import { tableOf } from '../terminal/report.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'sources',
  description:
    'List the agents that keep sessions on this machine: how many, how large, not compressed yet, soon deleted.',
  options: [storeOption, agentOption],
  json: 'a JSON array',
  help: `
A session counts as compressed if a hook, a sweep or the given store made a bundle of it; logs are compared by digest.
aider and SpecStory logs are searched for in this folder.

Examples:
  tenfold sources
  tenfold sources --json | jq '.[] | select(.uncompressed > 0) | .agent'`,
  async run({ store, agent: agents = sourceAgents }, { terminal, signal }) {
    const place = thisPlace()
    const digests = openDigests()
    const compressed = { digests, seen: openSeen(), sources: await sourcesOfStore(store, terminal) }
    const counts: SourceCount[] = []
    for (const agent of agents) {
      signal.throwIfAborted()
      const finding = await findAgentLogs(agent, place)
      if (finding.folders.length + finding.logs.length + finding.faults.length === 0) continue
      counts.push(await countLogs(finding, place, compressed))
    }
    const warn = (text: string): void => terminal.warn(`warning: ${cleanLine(text)}`)
    try {
      digests.save()
    } catch (error) {
      warn(`the digests were not kept for the next run: ${failureOf(error).message}`)
    }
    if (!terminal.json) for (const { faults } of counts) faults.forEach(warn)
    const open = counts.reduce((sum, count) => sum + count.uncompressed, 0)
    return {
      json: counts,
      table: tableOf(counts, [
        { title: 'AGENT', cell: ({ agent }) => agent },
        { title: 'LOGS', align: 'right', cell: logsText },
        { title: 'SIZE', align: 'right', drop: 2, cell: ({ bytes }) => formatBytes(bytes) },
        { title: 'NEWEST (UTC)', drop: 3, cell: ({ newest }) => newest?.slice(0, 16).replace('T', ' ') },
        { title: 'NOT COMPRESSED', align: 'right', cell: ({ uncompressed }) => formatCount(uncompressed) },
        { title: 'DELETED AFTER', drop: 1, cell: ({ retention }) => deletedText(retention) },
        { title: 'FOLDERS', max: 60, drop: 4, cell: ({ folders }) => folders.join(', ') },
      ]),
      none: 'No sessions of a known agent were found on this machine.',
      said:
        open > 0
          ? [
              terminal.style.dim(
                `${formatNumberOf(open, 'session')} not compressed yet; to compress them: tenfold sweep`,
              ),
            ]
          : [],
    }
  },
})

function logsText({ logs, sessions }: SourceCount): string {
  return sessions > logs ? `${formatCount(logs)} (${formatCount(sessions)} sessions)` : formatCount(logs)
}

function deletedText(retention: SourceCount['retention']): string {
  if (retention === undefined) return ''
  const { days, soon, soonUncompressed } = retention
  const after = `${Number(days.toFixed(1))} d`
  if (soon === 0) return after
  return `${after}, ${formatCount(soon)} within a week${soonUncompressed > 0 ? `, ${formatCount(soonUncompressed)} of them not compressed` : ''}`
}
