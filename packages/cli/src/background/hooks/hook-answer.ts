import type { HookAgent } from './hook-agents.ts'

/** The answer that changes nothing: Cursor and Gemini parse stdin's reply as JSON, the others take silence. */
export function emptyAnswer(agent: HookAgent): string {
  return agent === 'cursor' || agent === 'gemini' ? '{}' : ''
}

/** The answer that puts a text into the context of a session that starts, in the words of its agent. */
export function contextAnswer(agent: HookAgent, context: string): string {
  if (agent === 'cursor') return JSON.stringify({ additional_context: context })
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: context },
  })
}
