import { cleanLine, pointLine } from '@tenfold/core/internal'
import { hookAgents } from '../background/hooks/hook-agents.ts'
import { storeOption } from '../options/options.ts'
import { ago, sessionText } from '../sources/sessions-of-folder.ts'
import { type AgentHooks, findStatus, type Status } from '../status/find-status.ts'
import { formatTable, wrapText } from '../terminal/table.ts'
import type { Screen } from '../terminal/terminal.ts'
import { formatCount, formatNumberOf, formatShare, shellWord } from '../terminal/text.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'status',
  description:
    'Print where the work in this folder stands: the last session, what is open, the newest checkpoint, and sessions that are not compressed yet. Plain "tenfold" prints the same.',
  options: [storeOption],
  json: 'one JSON object',
  help: `
Examples:
  tenfold
  tenfold status --json | jq -r '.last.nextSteps[0] // empty'`,
  async run({ store }, context) {
    const status = await findStatus(process.cwd(), store, context)
    return { json: status, lines: statusLines(status, new Date(), context.terminal) }
  },
})

const shownSteps = 3
const shownSessions = 3

export function statusLines(status: Status, now: Date, { style, columns }: Screen): string[] {
  const rows = [
    ...bundleRows(status, now),
    ...checkpointRows(status, now),
    ...sessionRows(status, now),
    ...status.hooks.map((each, index): Row => [index === 0 ? 'hooks' : '', hookText(each, now)]),
  ]
  const title = Math.max(0, ...rows.map(([name]) => name.length))
  const facts = rows.flatMap(([name, text]) =>
    wrapText(text, columns - title - 2).map(
      (line, index) => `${style.dim((index === 0 ? name : '').padEnd(title))}  ${line}`,
    ),
  )
  const commands = nextCommands(status).map(([command, purpose]) => [`  ${command}`, style.dim(purpose)])
  // Commands must not be cut.
  const widest = Math.max(columns, ...commands.map(([command = '']) => command.length))
  const next = formatTable([{ title: '' }, { title: '', drop: 1 }], commands, widest)
  return [style.bold(cleanLine(status.folder)), ...facts, '', 'Next:', ...next]
}

type Row = readonly [name: string, text: string]

/** Whether the last bundle was made from a log: a bundle saved by hand has no page. */
function hasLog({ last }: Status): boolean {
  return last !== undefined && last.sourceTokens > 0
}

function bundleRows(status: Status, now: Date): Row[] {
  const { store, bundles, tracks, last, foreign, elsewhere } = status
  if (last === undefined) return [['bundles', `none yet in ${cleanLine(store)}`]]
  const track = tracks.length > 1 ? `, track ${last.track}` : ''
  const tokens = `${formatCount(last.bundleTokens)} tokens`
  const sizes = hasLog(status)
    ? `${formatCount(last.sourceTokens)} → ${tokens} (${formatShare(last.ratio, 2)}${last.band === 'small' ? ', a small log' : ''})`
    : `${tokens}, made without a log`
  return [
    ['last session', `${sessionName(last)}, ${ago(last.createdAt, now)}${track}`],
    ['', `${sizes}; ${formatNumberOf(bundles, 'bundle')} in ${cleanLine(store)}`],
    ...(foreign === undefined ? [] : [['from elsewhere', foreign] as const]),
    ...(last.openErrors > 0 ? [['open', formatNumberOf(last.openErrors, 'error')] as const] : []),
    ...stepRows('next steps', last.nextSteps),
    ...stepRows('open before', last.earlierSteps),
    ...elsewhere
      .slice(0, shownSessions)
      .map(
        (entry): Row => [
          `track ${entry.track}`,
          `${sessionName(entry)} (tenfold resume --track ${entry.track})`,
        ],
      ),
    ...moreRow(elsewhere.length - shownSessions),
  ]
}

function sessionName({ title, sessionId, state = 'state unknown' }: Status['elsewhere'][number]): string {
  return cleanLine(`${title === undefined ? `session ${sessionId}` : `“${title}”`}, ${state}`)
}

function stepRows(title: string, steps: readonly string[]): Row[] {
  return [
    ...steps
      .slice(0, shownSteps)
      .map((step, index): Row => [index === 0 ? title : '', `${index + 1}. ${cleanLine(pointLine(step))}`]),
    ...moreRow(steps.length - shownSteps),
  ]
}

function moreRow(count: number): Row[] {
  return count > 0 ? [['', `… and ${count} more`]] : []
}

function checkpointRows({ checkpoint }: Status, now: Date): Row[] {
  if (checkpoint === undefined) return []
  const { step, nextCommand, track, createdAt, isOlder } = checkpoint
  const older = isOlder ? ', older than the last session, which may have done it' : ''
  const where = `${step}, ${ago(createdAt, now)}, track ${track}${older}`
  return [
    ['checkpoint', cleanLine(where)],
    ...(nextCommand === undefined || isOlder ? [] : [['', `run: ${cleanLine(nextCommand)}`] as const]),
  ]
}

function sessionRows({ uncompressed, sessions }: Status, now: Date): Row[] {
  if (sessions === 0) return [['sessions', 'no agent sessions for this folder']]
  return uncompressed
    .slice(0, shownSessions)
    .map((log, index) => [index === 0 ? 'not compressed' : '', sessionText(log, now)])
}

function hookText({ agent, scope, state, lastRun, lastBrief, lastKept }: AgentHooks, now: Date): string {
  const name = scope === 'project' ? `${agent} (this project)` : agent
  const option = scope === 'project' ? ' --project' : ''
  if (state === 'outdated')
    return `${name}: written by an earlier version; to renew: tenfold install ${agent}${option}`
  const deeds = { 'last run': lastRun, 'last brief': lastBrief, 'last bundle': lastKept }
  const times = Object.entries(deeds)
    .flatMap(([what, last]) =>
      last === undefined ? [] : [`${what} ${ago(last.at, now)}${last.began ? ', which has not ended' : ''}`],
    )
    .join(', ')
  const did = times === '' ? 'not run yet' : times
  return state === 'untrusted'
    ? `${name}: not trusted, so Codex does not run them; to trust them: tenfold install codex --trust${option}; ${did}`
    : `${name}: ${did}`
}

function nextCommands(status: Status): Row[] {
  const { bundles, checkpoint, uncompressed, hooks, mainStore } = status
  const { last } = status
  // With hooks, the agent gets the brief automatically.
  const start = last === undefined || hooks.length > 0 ? undefined : starts[last.format]
  const isNew = bundles === 0 && uncompressed.length === 0
  const rows: (Row | false | '' | undefined)[] = [
    uncompressed.length > 0 && ['tenfold compress', 'compress the newest session of this folder'],
    mainStore && [
      `tenfold resume --store ${shellWord(cleanLine(mainStore))}`,
      'the work of the main work tree',
    ],
    bundles > 0 && [resumeCommand(status), 'print the brief of the last session'],
    start && [start(`"$(${resumeCommand(status)})"`), 'continue it'],
    checkpoint?.isOlder === false && [
      'tenfold checkpoint resume --live',
      'the checkpoint, and what is no longer true',
    ],
    hasLog(status) && [
      `tenfold view LATEST${trackOption(status, 'main')} --open`,
      'the last session as a page',
    ],
    isNew && ['tenfold compress LOG', 'compress the log of a session'],
    isNew && ['tenfold sources', 'where agents keep theirs'],
    hooks.length === 0 && [
      `tenfold install ${hookAgent(status)}`,
      'compress and resume automatically from now on',
    ],
    ['tenfold --help', 'all commands'],
  ]
  return rows.flatMap((row) => (row ? [row] : []))
}

function resumeCommand(status: Status): string {
  const current = status.checkpoint?.track ?? 'main'
  return `tenfold resume${trackOption(status, status.tracks.includes(current) ? current : 'main')}`
}

function trackOption({ last }: Status, usual: string): string {
  return last === undefined || last.track === usual ? '' : ` --track ${last.track}`
}

const starts: Readonly<Record<string, (brief: string) => string>> = {
  'claude-code': (brief) => `claude ${brief}`,
  codex: (brief) => `codex ${brief}`,
  'gemini-cli': (brief) => `gemini -i ${brief}`,
  'qwen-code': (brief) => `qwen -i ${brief}`,
  opencode: (brief) => `opencode --prompt ${brief}`,
  pi: (brief) => `pi ${brief}`,
}

function hookAgent({ last, uncompressed }: Status): string {
  const name = uncompressed[0]?.agent ?? last?.format ?? ''
  return hookAgents.find((agent) => name.startsWith(agent)) ?? 'claude-code'
}
