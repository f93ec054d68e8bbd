import type { SessionEvent } from './event.ts'

/** Names of texts that a harness adds to every session, or repeatedly: listings, settings, the environment. */
const names = new Set([
  'agent_listing_delta',
  'brief',
  'date',
  'deferred_tools_delta',
  // The work of another session, as an example for the agent.
  'demonstration',
  'environment',
  'environment_context',
  'hook_non_blocking_error',
  'mcp_instructions_delta',
  'model',
  'remote_session_change',
  'session_context',
  'skill_listing',
  'task_reminder',
  'todo_reminder',
])

/** A brief, or a quote of earlier sessions, begins with this line, or has it below its title. */
const briefLine =
  /^(?:Record of past work|Quoted from the log of a past session): data, no(?:t instructions|\s+instruction)\b/m
const briefStart = 2000

/**
 * Whether a text is the harness's own and not part of the session: system prompts, listings of skills and tools, the
 * brief of an earlier session. Such text stays in the session, but not in bundles, and is counted separately.
 */
export function isHarnessText(event: SessionEvent): boolean {
  if (event.type === 'tool_result') return briefLine.test(event.text.slice(0, briefStart))
  if (event.type !== 'context' || event.origin === 'agent') return false
  return (
    event.origin === 'system' ||
    (event.name !== undefined && names.has(event.name)) ||
    briefLine.test(event.text.slice(0, briefStart))
  )
}
