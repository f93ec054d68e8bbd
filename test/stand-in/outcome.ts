import { answerOf } from './answer.ts'
import type { BilledUsage } from './bill.ts'
import { type Json, promptOf, type StandInCall, tokensOf } from './call.ts'
import { inflated } from './inflate.ts'
import type { Scenario, ScenarioFigures } from './scenarios.ts'

export type Stop =
  | 'end'
  | 'max_tokens'
  | 'refusal'
  | 'context_exceeded'
  | 'content_filter'
  | 'failed'
  | 'incomplete'

/** How a call with a reply went, before it has the provider's form. */
export interface Outcome {
  readonly texts: readonly string[]
  /** The refusal in words, if the wire format has a place for it. */
  readonly refusal?: { readonly text: string; readonly category: string }
  readonly failure?: string
  readonly stop: Stop
  readonly usage: BilledUsage
  readonly noUsage: boolean
}

export const refusalText = "I can't help with that."

/** `own`: the answer that the test wants. */
export function outcomeOf(asked: StandInCall, scenario: Scenario, own: string | object | undefined): Outcome {
  const call = windowed(asked, scenario)
  const value = own ?? (answerOf(call) as Json)
  const whole = typeof value === 'string' ? value : JSON.stringify(value)
  const half = whole.slice(0, Math.floor(whole.length / 2))
  const figures: ScenarioFigures =
    'cacheRead' in scenario || 'cacheWrite' in scenario || 'reasoning' in scenario ? scenario : {}
  const done = (texts: readonly string[], stop: Stop = 'end', more: Partial<Outcome> = {}): Outcome => ({
    texts,
    stop,
    usage: usageOf(call, figures, [...texts, more.refusal?.text ?? '']),
    // Only servers that are like OpenAI or Ollama leave it out.
    noUsage: scenario.scenario === 'no_usage' && call.provider !== 'anthropic',
    ...more,
  })
  switch (scenario.scenario) {
    case 'ok':
      return limited(call, done([scenario.text ?? whole]), figures)
    case 'refusal':
    case 'refusal_text': {
      const prose = scenario.scenario === 'refusal' ? scenario.text : refusalText
      const category = (scenario.scenario === 'refusal' ? scenario.category : undefined) ?? 'cyber'
      // Only OpenAI has a place of its own for the words of a refusal.
      if (call.provider === 'openai')
        return done(prose === undefined ? [] : [prose], 'refusal', {
          refusal: { text: refusalText, category },
        })
      const words = prose ?? (call.provider === 'ollama' ? refusalText : undefined)
      return done(words === undefined ? [] : [words], 'refusal', { refusal: { text: '', category } })
    }
    case 'max_tokens':
    case 'context_exceeded':
    case 'incomplete':
      return done([half], scenario.scenario)
    case 'content_filter':
      return done([], 'content_filter')
    case 'failed':
      return done([], 'failed', { failure: scenario.code ?? 'server_error' })
    case 'bad_schema':
      return done([JSON.stringify({ unexpected: ['this is not what the schema asks for'] })])
    case 'prose':
      return done(['I have read the session. The user wanted something done and the agent did most of it.'])
    case 'fenced':
      return done([
        `Here is the summary you asked for:\n\n\`\`\`json\n${whole}\n\`\`\`\n\nTell me if it needs changes.`,
      ])
    case 'empty':
      return done([])
    case 'inflated':
      return done([inflated(value, call.schema, scenario.chars ?? 20_000, room(call, figures))])
    case 'two_text_blocks':
      return done(['I have read the session. ', whole])
    default:
      return limited(call, done([whole]), figures)
  }
}

/** What a server reads that silently cuts its input: the end of it. */
function windowed(call: StandInCall, scenario: Scenario): StandInCall {
  const window = scenario.scenario === 'window' ? scenario.tokens : call.window
  if (window === undefined || call.inputTokens <= window) return call
  const text = promptOf(call).slice(-window * 4)
  return { ...call, system: '', messages: [{ role: 'user', text }], inputTokens: window }
}

/** A model stops when it has written as much as allowed. */
function limited(call: StandInCall, outcome: Outcome, figures: ScenarioFigures): Outcome {
  const limit = call.maxTokens
  if (limit === undefined || outcome.usage.output <= limit) return outcome
  const text = outcome.texts.join('').slice(0, Math.max(0, room(call, figures)))
  const usage = { ...outcome.usage, output: limit, reasoning: Math.min(outcome.usage.reasoning, limit) }
  return { ...outcome, texts: text === '' ? [] : [text], stop: 'max_tokens', usage }
}

/** Number of characters that the answer may have. */
function room(call: StandInCall, figures: ScenarioFigures): number {
  return ((call.maxTokens ?? 100_000) - reasoningOf(call, figures)) * 4
}

function reasoningOf(call: StandInCall, figures: ScenarioFigures): number {
  return figures.reasoning ?? (call.provider === 'ollama' ? 0 : 16)
}

/** Usage of an answer. */
function usageOf(call: StandInCall, figures: ScenarioFigures, texts: readonly string[]): BilledUsage {
  const input = call.inputTokens
  const cacheRead = Math.min(figures.cacheRead ?? 0, input)
  const cacheWrite = Math.min(figures.cacheWrite ?? 0, input - cacheRead)
  const reasoning = reasoningOf(call, figures)
  return { input, cacheRead, cacheWrite, output: reasoning + tokensOf(...texts), reasoning }
}
