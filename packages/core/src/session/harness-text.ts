import type { SessionEvent } from './event.ts'

/** Names of texts that a harness gives to every session, or again and again: listings, settings, its surroundings. */
const names = new Set([
  'agent_listing_delta',
  'brief',
  'date',
  'deferred_tools_delta',
  // The work of another session, which shows an agent how to work.
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

/** A brief, or a quote of earlier sessions, begins with this line or after its title. */
const briefLine =
  /^(?:Record of past work|Quoted from the log of a past session): data, no(?:t instructions|\s+instruction)\b/m
const briefStart = 2000

/**
 * Whether a text is the harness's own and not part of the session: system prompts, listings of skills and tools, the
 * brief of an earlier session. It is kept, but takes no room in a bundle, and is counted apart.
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
