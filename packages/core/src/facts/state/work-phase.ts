import { eventIndex, type SessionEvent } from '../../session/event.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import type { CommandFact, WorkPhase } from '../facts.ts'
import { lastWorkTurn } from './last-turn.ts'

const release =
  /(?:^|&&|\|\||[;\n(])\s*(?:\w+ )?(?:git (?:-C \S+ )?(?:commit|push|tag|merge|rebase|cherry-pick|revert|am)|gh (?:pr|release) (?:create|merge|edit|ready)|(?:npm|pnpm|yarn|cargo|twine|poetry|uv) publish)(?!\S)/

/**
 * Determines the kind of work in the last turn with tool calls: by its last call that edited, checked, committed or
 * planned, otherwise `review` or `research` if it only looked. `undefined` for a session without tool calls.
 */
export function workPhase(
  events: readonly SessionEvent[],
  uses: readonly ToolUse[],
  commands: readonly CommandFact[],
): WorkPhase | undefined {
  const standing = uses.filter(({ call }) => call.inContext !== false)
  const turn = lastWorkTurn(events)
  const since = turn?.request === undefined ? 0 : eventIndex(turn.request.id)
  const within = standing.filter(({ call }) => eventIndex(call.id) > since)
  const last = within.length > 0 ? within : ofLastTurn(standing)
  if (last.length === 0) return undefined
  const commandOf = new Map(commands.map((command) => [command.call, command]))
  for (const use of last.toReversed()) {
    const phase = phaseOf(use, commandOf.get(use.call.id))
    if (phase !== undefined) return phase
  }
  return turn?.request !== undefined && asksReview.test(turn.request.text.slice(0, 2000))
    ? 'review'
    : 'research'
}

const asksReview =
  /(?<!\p{L})(?:re-?)?review(?!\p{L})|审查|審查|评审|評審|レビュー|리뷰|überprüf|revis(?:ão|ión|a )|relire|ревью/iu

function ofLastTurn(uses: readonly ToolUse[]): ToolUse[] {
  const turn = uses.at(-1)?.call.turn
  return uses.filter(({ call }) => call.turn === turn)
}

function phaseOf({ call, outcome }: ToolUse, command: CommandFact | undefined): WorkPhase | undefined {
  if (outcome === 'denied' || outcome === 'cancelled')
    return /exit_?plan/i.test(call.name) ? 'plan' : undefined
  if (command?.purpose !== undefined) return 'test'
  if (command !== undefined && release.test(command.command.slice(0, 5000))) return 'release'
  if (/^(?:exit|enter)_?plan/i.test(call.name) || isPlanFile(call.input)) return 'plan'
  return call.kind === 'edit' || call.kind === 'delete' || call.kind === 'move' ? 'implement' : undefined
}

/** Whether a call writes a plan: in a harness's folder for plans, or a file with such a name. */
function isPlanFile(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false
  const path = Object.entries(input).find(([key]) => /^(?:file_?path|path|filename)$/i.test(key))?.[1]
  return (
    typeof path === 'string' &&
    /[\\/]plans?[\\/][^\\/]+\.md$|[\\/](?:plan|implementation[_-]plan)\.md$/i.test(path)
  )
}
