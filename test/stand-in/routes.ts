import { anthropicMessages } from './anthropic/anthropic.ts'
import type { AnthropicBatches } from './anthropic/anthropic-batches.ts'
import { readMessages } from './anthropic/anthropic-request.ts'
import { jsonOf, type Provider } from './call.ts'
import { newId } from './ids.ts'
import { ollamaChat } from './ollama.ts'
import type { OpenaiBatches } from './openai/openai-batches.ts'
import { openaiChat } from './openai/openai-chat.ts'
import { fileContent, uploadFile } from './openai/openai-files.ts'
import { openaiResponses } from './openai/openai-responses.ts'
import { errorReply, requestIdHeader } from './provider-error.ts'
import { jsonReply, type Reply } from './reply.ts'
import type { Scenario } from './scenarios.ts'
import type { StandInRequest, State } from './state.ts'
import { isError, type Wire } from './wire.ts'

/** One endpoint: a call of a model has a wire format, anything else a handler. */
export type Route = {
  readonly provider: Provider
  /** Method and path, `*` for an id. */
  readonly at: string
} & (
  | { readonly wire: Wire }
  | {
      /** Takes a scenario from the queue. */
      readonly scripted?: true
      readonly handle: (request: StandInRequest, id: string, scenario: Scenario) => Reply
    }
)

export function routesOf(state: State, claude: AnthropicBatches, gpt: OpenaiBatches): Route[] {
  return [
    { provider: 'anthropic', at: 'POST /v1/messages', wire: anthropicMessages },
    { provider: 'anthropic', at: 'POST /v1/messages/count_tokens', handle: countTokens },
    {
      provider: 'anthropic',
      at: 'POST /v1/messages/batches',
      scripted: true,
      handle: (request) => claude.create(request),
    },
    { provider: 'anthropic', at: 'GET /v1/messages/batches', handle: (request) => claude.list(request) },
    { provider: 'anthropic', at: 'GET /v1/messages/batches/*', handle: (_, id) => claude.retrieve(id) },
    { provider: 'anthropic', at: 'POST /v1/messages/batches/*/cancel', handle: (_, id) => claude.cancel(id) },
    {
      provider: 'anthropic',
      at: 'GET /v1/messages/batches/*/results',
      handle: (_, id) => claude.results(id),
    },
    { provider: 'openai', at: 'POST /v1/responses', wire: openaiResponses },
    { provider: 'openai', at: 'POST /v1/chat/completions', wire: openaiChat },
    { provider: 'openai', at: 'POST /v1/files', handle: (request) => uploadFile(state, request) },
    { provider: 'openai', at: 'GET /v1/files/*/content', handle: (_, id) => fileContent(state, id) },
    {
      provider: 'openai',
      at: 'POST /v1/batches',
      scripted: true,
      handle: (request, _, scenario) => gpt.create(request, scenario),
    },
    { provider: 'openai', at: 'GET /v1/batches', handle: (request) => gpt.list(request) },
    { provider: 'openai', at: 'GET /v1/batches/*', handle: (_, id) => gpt.retrieve(id) },
    { provider: 'openai', at: 'POST /v1/batches/*/cancel', handle: (_, id) => gpt.cancel(id) },
    { provider: 'ollama', at: 'POST /api/chat', wire: ollamaChat },
  ]
}

/** The route of a request and the id in its path. The required header distinguishes Anthropic from OpenAI. */
export function routeOf(
  routes: readonly Route[],
  request: StandInRequest,
): { route: Route; id: string } | undefined {
  const { method, path, headers } = request
  const vendor = headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined
  const words = path.split('/')
  const fits = (route: Route) => {
    const [verb, place = ''] = route.at.split(' ')
    const parts = place.split('/')
    return (
      verb === method &&
      parts.length === words.length &&
      parts.every((part, index) => part === '*' || part === words[index])
    )
  }
  const found = routes.filter(fits)
  const route = found.find((one) => (one.provider === 'anthropic') === vendor) ?? found[0]
  if (route === undefined) return undefined
  const star = (route.at.split(' ')[1] ?? '').split('/').indexOf('*')
  return { route, id: star < 0 ? '' : decodeURIComponent(words[star] ?? '') }
}

function countTokens(request: StandInRequest): Reply {
  const read = readMessages(jsonOf(request.body), request.headers, true)
  if (isError(read)) return errorReply('anthropic', read)
  return jsonReply(200, { input_tokens: read.inputTokens }, requestIdHeader('anthropic', newId('req_')))
}
