import type { SessionEvent } from './event.ts'

/**
 * Returns the text of an event that counts as source tokens: message text, tool name with decoded arguments, tool
 * output. Empty for structural events; JSON envelopes and images never count.
 */
export function eventText(event: SessionEvent): string {
  switch (event.type) {
    case 'user':
    case 'context':
    case 'assistant':
    case 'reasoning':
    case 'tool_result':
    case 'compaction':
      return event.text
    case 'tool_call': {
      const input = toolInputText(event.input)
      return input === '' ? event.name : `${event.name}\n${input}`
    }
    case 'subagent_start':
    case 'subagent_end':
    case 'rewind':
    case 'other':
      return ''
  }
}

/** Returns arguments as `key: value` lines with strings as they are, so that JSON escapes do not inflate a count. */
export function toolInputText(input: unknown): string {
  if (input === undefined || input === null) return ''
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || Array.isArray(input)) return JSON.stringify(input)
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}
