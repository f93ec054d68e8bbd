import { join } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { cleanLine, cleanText, thisPlace } from '@tenfold/core/internal'
import {
  type AgentFinding,
  type AgentPlace,
  findAgentLogs,
  type RetentionRule,
  sourceAgents,
} from '@tenfold/core/readers'
import { parse } from 'jsonc-parser'
import { agentOption } from '../options/log-options.ts'
import { storeOption } from '../options/options.ts'
import { sessionsOfLogs } from '../sources/sessions-of-folder.ts'
import { type LogDigests, openDigests } from '../state/digest-logs.ts'
import { openSeen, type SeenLogs } from '../state/seen-logs.ts'
import { openStore } from '../store/open-store.ts'
import { failureOf } from '../terminal/failure.ts'
import { asObject, readTextNow } from '../terminal/regular-file.ts'
import { tableOf } from '../terminal/report.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatBytes, formatCount, formatNumberOf } from '../terminal/text.ts'
import { unlessRefused } from '../terminal/thrown.ts'
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
    const missing = formatNumberOf(open, 'session')
    return {
      json: counts,
      table: tableOf(counts, [
        ['AGENT', ({ agent }) => agent],
        ['LOGS', logsText, { align: 'right' }],
        ['SIZE', ({ bytes }) => formatBytes(bytes), { align: 'right', drop: 2 }],
        ['NEWEST (UTC)', ({ newest }) => newest?.slice(0, 16).replace('T', ' '), { drop: 3 }],
        ['NOT COMPRESSED', ({ uncompressed }) => formatCount(uncompressed), { align: 'right' }],
        ['DELETED AFTER', ({ retention }) => deletedText(retention), { drop: 1 }],
        ['FOLDERS', ({ folders }) => folders.join(', '), { max: 60, drop: 4 }],
      ]),
      none: 'No sessions of a known agent were found on this machine.',
      said: [
        open > 0 && terminal.style.dim(`${missing} not compressed yet; to compress them: tenfold sweep`),
      ],
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

type SourceCount = Awaited<ReturnType<typeof countLogs>>

const day = 24 * 60 * 60 * 1000
const soonDays = 7

interface Compressed {
  readonly digests: LogDigests
  readonly seen: SeenLogs
  readonly sources: ReadonlySet<string>
}

async function sourcesOfStore(store: string, terminal: Terminal): Promise<Set<string>> {
  const { list } = await openStore(store, terminal)
  try {
    const entries = await list()
    return new Set(entries.map((entry) => entry.sourceSha256))
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    terminal.warn(
      `warning: the store cannot be read, so its logs count as not compressed: ${cleanText(error.message)}`,
    )
    return new Set()
  }
}

async function countLogs(
  { agent, folders, logs, faults }: AgentFinding,
  place: AgentPlace,
  { digests, seen, sources }: Compressed,
) {
  const retention = retentionOf(agent.retention, place)
  const allFaults = [...faults]
  let sessions = 0
  let uncompressed = 0
  let soon = 0
  let soonUncompressed = 0
  for await (const { log, sessions: held, fault } of sessionsOfLogs(logs, digests)) {
    if (fault !== undefined) allFaults.push(fault)
    const open = held.filter(({ digest }) => seen.get(digest)?.bundle === undefined && !sources.has(digest))
    // A log that cannot be read counts as one session.
    sessions += fault === undefined ? held.length : 1
    uncompressed += fault === undefined ? open.length : 1
    if (retention === undefined || log.changed + retention.days * day > Date.now() + soonDays * day) continue
    soon += 1
    if (open.length > 0 || fault !== undefined) soonUncompressed += 1
  }
  const newest = logs.at(-1)?.changed
  return {
    agent: agent.name,
    format: agent.format,
    folders,
    logs: logs.length,
    sessions,
    bytes: logs.reduce((sum, log) => sum + log.bytes, 0),
    ...(newest !== undefined && { newest: new Date(newest).toISOString() }),
    uncompressed,
    ...(retention !== undefined && { retention: { ...retention, soon, soonUncompressed } }),
    faults: allFaults,
  }
}

// https://code.claude.com/docs/en/settings and https://geminicli.com/docs/cli/session-management
const claudeDays = 30
const geminiDays = 30

function retentionOf(rule: RetentionRule, place: AgentPlace) {
  const { env, home } = place
  if (rule === 'claude-code') {
    const settings = readSettings(join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'))
    const days = settings?.cleanupPeriodDays
    return typeof days === 'number' && Number.isFinite(days) && days >= 0
      ? { days, from: 'cleanupPeriodDays' }
      : { days: claudeDays, from: 'default' }
  }
  if (rule === 'gemini-cli') {
    const settings = readSettings(join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json'))
    const retention = asObject(asObject(settings?.general)?.sessionRetention)
    if (retention?.enabled === false) return undefined
    const days = daysOf(retention?.maxAge)
    return days === undefined
      ? { days: geminiDays, from: 'default' }
      : { days, from: 'sessionRetention.maxAge' }
  }
  return undefined
}

function readSettings(path: string): Readonly<Record<string, unknown>> | undefined {
  // Missing, or not ours to read: the agent's default applies.
  const text = unlessRefused(() => readTextNow(path), '')
  return asObject(parse(text, [], { allowTrailingComma: true }))
}

function daysOf(age: unknown): number | undefined {
  const [, count, unit] = /^(\d{1,6})([hdwm])$/.exec(typeof age === 'string' ? age : '') ?? []
  if (count === undefined) return undefined
  return Number(count) * ({ h: 1 / 24, d: 1, w: 7, m: 30 }[unit ?? ''] ?? 1)
}
