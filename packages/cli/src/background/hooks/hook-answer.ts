import type { HookAgent } from './hook-agents.ts'

/** The answer that changes nothing: Cursor and Gemini parse stdout as JSON, the others accept silence. */
export function emptyAnswer(agent: HookAgent): string {
  return agent === 'cursor' || agent === 'gemini' ? '{}' : ''
}

/** The answer that puts a text into the context of a new session, in the format of its agent. */
export function contextAnswer(agent: HookAgent, context: string): string {
  if (agent === 'cursor') return JSON.stringify({ additional_context: context })
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: context },
  })
}
