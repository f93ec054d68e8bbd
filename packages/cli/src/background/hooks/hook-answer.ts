import type { HookAgent } from './hook-agents.ts'

/** Agents that parse what a hook prints as JSON; the others accept silence. */
const parses: ReadonlySet<HookAgent> = new Set(['cursor', 'gemini'])

/** The answer that changes nothing. */
export function emptyAnswer(agent: HookAgent): string {
  return parses.has(agent) ? '{}' : ''
}

/** The answer that puts a text into the context of a new session, in the format of its agent. */
export function contextAnswer(agent: HookAgent, context: string): string {
  switch (agent) {
    case 'cursor':
      return JSON.stringify({ additional_context: context })
    case 'copilot-cli':
      return JSON.stringify({ additionalContext: context })
    case 'opencode':
    case 'pi':
    case 'cline':
      // Read by the plugin that `install` writes.
      return JSON.stringify({ context })
    default:
      return JSON.stringify({
        hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: context },
      })
  }
}
