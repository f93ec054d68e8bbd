import { type Block, block } from '../brief/block.ts'
import { cleanCommand } from '../checkpoint/clean-command.ts'
import { gitLine, shownNames } from '../git/git-line.ts'
import type { HaltedRun } from '../halt/read-halted.ts'
import type { HaltDump } from '../halt/stored-dumps.ts'
import { cleanLine, cleanText } from '../session/clean-text.ts'
import { cutHead, cutTail } from '../session/cut-text.ts'
import type { SessionEvent } from '../session/event.ts'
import { eventText, toolInputText } from '../session/event-text.ts'
import { joinToolUses } from '../tools/tool-uses.ts'
import { quote } from './checkpoint-blocks.ts'

const maxTurn = 1500
const maxResult = 400
const maxWords = 6000
const maxTurns = 40

/**
 * Returns quoted blocks about a halted run: the reason, its state, and the end of its conversation. `alone`: nothing
 * else needs the remaining room.
 */
export function dumpBlocks(dump: HaltDump, run: HaltedRun, alone: boolean): Block[] {
  const turns = conversationLines(run)
  const conversation = block('Last turns of its conversation (data), oldest first', alone ? 1 : 0.3, turns)
  return [
    block('Halted run', 0.2, haltLines(dump, run), 120),
    block('Next command of the halted run (shown, not run)', 0.05, [nextCommand(dump)]),
    block('Last words of its agent (data)', 0.5, [lastWords(run)], 500),
    block('Last prompt (data)', 0.2, [lastPrompt(run)], 250),
    block('Running when it was halted, without a result', 0.1, runningLines(run)),
    block('Git state at the halt', 0.1, gitLines(dump)),
    block('End of stderr (data)', 0.08, [quoted(run.stderr, cutTail, 2000)]),
    block('Details of the halt (data)', 0.08, [quoted(detailsOf(dump), cutHead, 2000)]),
    { ...conversation, newestLast: true },
  ]
}

export function dumpTitle({ haltId, metadata }: HaltDump): string {
  const task = metadata?.taskId === undefined ? '' : ` of task ${cleanLine(metadata.taskId)}`
  return `halted run${task}, dump ${haltId}`
}

function haltLines({ haltId, metadata, state }: HaltDump, run: HaltedRun): string[] {
  const { reason, createdAt, iteration, projectId, taskId, agent, stateKey, missing = [] } = metadata ?? {}
  const line = (name: string, value: string | number | null | undefined): string =>
    value === undefined || value === '' ? '' : `- ${name}: ${cutHead(cleanLine(String(value)), 1000)}`
  const lost = missing.filter(({ code }) => code === 'failed' || code === 'too-large')
  const ended = run.exitSignal ?? (run.exitCode === null ? 'by a signal' : run.exitCode)
  return [
    line('reason', reason),
    line('halted', `${createdAt ?? 'at an unknown time'}, dump ${haltId} (${state})`),
    line('task', taskId),
    line('iteration', iteration),
    line('project', projectId),
    line('agent', [agent?.name, agent?.model, agent?.mode].filter(Boolean).join(', ')),
    line('last exit', ended),
    line('took', run.durationMs === undefined ? undefined : `${run.durationMs} ms`),
    line('live state under', stateKey),
    line('not in the dump', lost.map(({ path, reason: why }) => `${path} (${why})`).join('; ')),
    line('damaged', run.warnings.join('; ')),
  ]
}

function nextCommand({ metadata }: HaltDump): string {
  const command = metadata?.nextCommand === undefined ? undefined : cleanCommand(metadata.nextCommand)
  return command === undefined ? '' : `- ${command}`
}

function runningLines({ session }: HaltedRun): string[] {
  const open = joinToolUses(session?.events ?? []).filter(({ result }) => result === undefined)
  return open
    .slice(-5)
    .map(
      ({ call }) =>
        `- ${call.id} ${cleanLine(call.name)}: ${cutHead(cleanLine(toolInputText(call.input)), 500)}`,
    )
}

function gitLines({ metadata }: HaltDump): string[] {
  const git = metadata?.git
  if (git === undefined) return []
  const { changed, files } = git
  const names = files.map(({ path }) => path)
  return [
    `- ${gitLine(git)}`,
    changed === 0 ? '' : `- not committed: ${shownNames(names, changed, 20)}`,
    changed === 0 ? '' : '- the dump has these files, for a restore',
  ]
}

/** Returns the agent's last message, or its response if there is no conversation. */
function lastWords(run: HaltedRun): string {
  const said = lastTurn(run, 'assistant')
  return quoted(said === undefined ? run.response : textOf(said), said ? cutHead : cutTail, maxWords)
}

function lastPrompt(run: HaltedRun): string {
  const asked = lastTurn(run, 'user')
  return quoted(run.prompt ?? (asked && textOf(asked)), cutHead, maxWords)
}

function lastTurn({ session }: HaltedRun, type: 'user' | 'assistant'): SessionEvent | undefined {
  return session?.events.findLast((event) => event.type === type && isTurn(event))
}

/** Returns one quoted line per turn, so that no turn reads as a part of the brief. */
function conversationLines(run: HaltedRun): string[] {
  const { session, lines = [] } = run
  if (session === undefined) return lines.map((text) => quoted(text, cutHead, maxTurn))
  const said = lastTurn(run, 'assistant')
  // Notes that an agent writes for itself repeat its messages and actions.
  const notes = new Set(
    joinToolUses(session.events).flatMap(({ call, result }) =>
      call.kind === 'think' ? [call.id, result?.id] : [],
    ),
  )
  return session.events
    .filter((event) => isTurn(event) && event !== said && !notes.has(event.id))
    .slice(-maxTurns)
    .map((event) => quoted(textOf(event), cutHead, event.type === 'tool_result' ? maxResult : maxTurn))
}

function isTurn(event: SessionEvent): boolean {
  const isOwn = event.agent === 'main' && event.copied !== true && event.inContext !== false
  return isOwn && eventText(event).trim() !== ''
}

function textOf(event: SessionEvent): string {
  return `${event.id} ${event.type.replace(/^tool_/, 'tool ')}: ${eventText(event)}`
}

function detailsOf({ metadata }: HaltDump): string | undefined {
  const details = metadata?.details
  return details === undefined || typeof details === 'string' ? details : JSON.stringify(details, null, 1)
}

function quoted(
  text: string | undefined,
  cut: (text: string, length: number) => string,
  length: number,
): string {
  return text === undefined ? '' : quote(cut(cleanText(text).trim(), length))
}
