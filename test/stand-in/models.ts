import { newId } from './ids.ts'
import { errorReply, requestIdHeader } from './provider-error.ts'
import { jsonReply, type Reply } from './reply.ts'

const anthropicModels = ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5']
const openaiModels = ['gpt-5.6-sol', 'gpt-5.6-luna', 'local-model']
const ollamaModels = ['qwen3']

/** `GET /v1/models` of Anthropic, or one of them. Every id that begins with `claude` exists. */
export function anthropicModel(id?: string): Reply {
  const headers = requestIdHeader('anthropic', newId('req_'))
  if (id === undefined) {
    const data = anthropicModels.map(anthropicInfo)
    return jsonReply(
      200,
      { data, has_more: false, first_id: anthropicModels[0], last_id: anthropicModels.at(-1) },
      headers,
    )
  }
  if (!id.startsWith('claude')) return errorReply('anthropic', { status: 404, message: `model: ${id}` })
  return jsonReply(200, anthropicInfo(id), headers)
}

function anthropicInfo(id: string): object {
  const yes = { supported: true }
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: '2026-10-01T00:00:00Z',
    deprecated_at: null,
    retires_at: null,
    lifecycle: 'active',
    line: null,
    max_input_tokens: 1_000_000,
    max_tokens: 128_000,
    capabilities: { batch: yes, structured_outputs: yes },
  }
}

/** `GET /v1/models` of OpenAI: says nothing of windows. */
export function openaiModel(id?: string): Reply {
  const headers = requestIdHeader('openai', newId('req_'))
  const info = (name: string) => ({ id: name, object: 'model', created: 1_790_000_000, owned_by: 'stand-in' })
  return jsonReply(
    200,
    id === undefined ? { object: 'list', data: openaiModels.map(info) } : info(id),
    headers,
  )
}

/** `GET /api/tags` and `GET /api/ps` of Ollama. */
export function ollamaModelList(running: boolean): Reply {
  const models = ollamaModels.map((name) => ({
    name,
    model: name,
    modified_at: '2026-10-01T00:00:00Z',
    size: 5_000_000_000,
    digest: '0'.repeat(64),
    details: ollamaDetails,
    ...(running
      ? { expires_at: '2026-12-31T00:00:00Z', size_vram: 5_000_000_000, context_length: 4096 }
      : {}),
  }))
  return jsonReply(200, { models })
}

const ollamaDetails = {
  parent_model: '',
  format: 'gguf',
  family: 'qwen3',
  families: ['qwen3'],
  parameter_size: '8B',
  quantization_level: 'Q4_K_M',
}

/** `POST /api/show` of Ollama: reports how much the model can read at most. */
export function ollamaShow(name: unknown): Reply {
  if (typeof name !== 'string' || name === '' || name === 'missing')
    return errorReply('ollama', { status: 404, message: `model '${String(name)}' not found` })
  return jsonReply(200, {
    license: '',
    modelfile: '',
    parameters: '',
    template: '',
    details: ollamaDetails,
    model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 },
    capabilities: ['completion', 'tools'],
    modified_at: '2026-10-01T00:00:00Z',
  })
}
