import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { type TokenUsage, usageFields } from '../../session/usage.ts'

/**
 * The fields of a usage in the order of `usageFields`: `.` is a path into an object, `|` an alternative if there is no
 * count, and `+` a count to add, such as the cache to the input.
 */
const places = {
  // https://docs.claude.com/en/api/messages
  anthropic:
    'input_tokens+cache_read_input_tokens+cache_creation_input_tokens output_tokens cache_read_input_tokens cache_creation_input_tokens',
  // https://platform.openai.com/docs/api-reference/chat and /responses
  chat: 'prompt_tokens|input_tokens completion_tokens|output_tokens prompt_tokens_details.cached_tokens|cache_read_input_tokens cache_creation_input_tokens completion_tokens_details.reasoning_tokens',
  responses:
    'input_tokens output_tokens input_tokens_details.cached_tokens - output_tokens_details.reasoning_tokens',
  agents: 'inputTokens outputTokens inputTokensDetails.cached_tokens - outputTokensDetails.reasoning_tokens',
  langchain:
    'input_tokens output_tokens input_token_details.cache_read input_token_details.cache_creation output_token_details.reasoning',
  // https://ai-sdk.dev/docs/reference/ai-sdk-core/generate-text: version 6, and earlier ones.
  'ai-sdk':
    'inputTokens|promptTokens outputTokens|completionTokens inputTokenDetails.cacheReadTokens|cachedInputTokens inputTokenDetails.cacheWriteTokens outputTokenDetails.reasoningTokens|reasoningTokens',
  'ai-sdk-tokens': 'input+cache.read+cache.write output cache.read cache.write reasoning',
  // Harbor's converter of Claude Code omits tokens written to the cache, and keeps them under Anthropic's name.
  atif: 'prompt_tokens+extra.cache_creation_input_tokens completion_tokens cached_tokens extra.cache_creation_input_tokens|extra.cache_write_tokens extra.reasoning_tokens',
  'atif-total':
    'total_prompt_tokens+extra.total_cache_creation_input_tokens total_completion_tokens total_cached_tokens extra.total_cache_creation_input_tokens|extra.total_cache_write_tokens extra.total_reasoning_tokens',
  cline: 'prompt+cached|cacheReads completion cached|cacheReads',
  codex: 'input_tokens output_tokens cached_input_tokens cache_write_input_tokens reasoning_output_tokens',
  'factory-droid':
    'inputTokens+cacheReadTokens+cacheCreationTokens outputTokens cacheReadTokens cacheCreationTokens thinkingTokens',
  'gemini-cli': 'input+tool output+thoughts cached - thoughts',
  // Without the accumulated numbers, only those of the last response are known.
  goose:
    'accumulated_usage.input_tokens|accumulated_input_tokens accumulated_usage.output_tokens|accumulated_output_tokens accumulated_usage.cache_read_input_tokens accumulated_usage.cache_write_input_tokens|accumulated_usage.cache_creation_input_tokens',
  opencode: 'input+cache.read+cache.write output+reasoning cache.read cache.write reasoning',
  openhands: 'prompt_tokens completion_tokens cache_read_tokens cache_write_tokens reasoning_tokens',
  pi: 'input+cacheRead+cacheWrite output cacheRead cacheWrite reasoning',
  'prompt-log':
    'inputtokens|prompttokens|input outputtokens|completiontokens|output cachereadtokens|cachereadinputtokens|cachedtokens cachewritetokens|cachecreationinputtokens',
  'swe-agent': 'tokens_sent tokens_received',
  tenfold: usageFields.join(' '),
}

export function usageIn(usage: unknown, format: keyof typeof places): TokenUsage {
  const countAt = (place: string): number | undefined =>
    place
      .split('|')
      .map((path) => json.count(usage, ...path.split('.')))
      .find((count) => count !== undefined)
  const sums = places[format].split(' ').map((sum) => {
    const [count, ...apart] = sum.split('+').map(countAt)
    return count === undefined ? undefined : apart.reduce<number>((all, more = 0) => all + more, count)
  })
  return known<TokenUsage>(Object.fromEntries(usageFields.map((field, index) => [field, sums[index]])))
}

export function isUnused(usage: TokenUsage): boolean {
  return Object.values(usage).every((count) => count === 0)
}

export function exceeding(counts: TokenUsage, others: TokenUsage): TokenUsage {
  const rests = Object.entries(counts).map(([field, count]) => [
    field,
    Math.max(0, count - (others[field as keyof TokenUsage] ?? 0)),
  ])
  return Object.fromEntries(rests)
}

/** Sums counts; `undefined` if the first one is not a count. */
export function countOf(first?: unknown, ...more: readonly unknown[]): number | undefined {
  const count = json.count(first)
  if (count === undefined) return undefined
  return more.reduce<number>((sum, value) => sum + (json.count(value) ?? 0), count)
}
