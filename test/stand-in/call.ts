export type Provider = 'anthropic' | 'openai' | 'ollama'
type Api = 'messages' | 'responses' | 'chat' | 'ollama'
export type Json = Readonly<Record<string, unknown>>

/** A call of a model, alone or as a row of a batch, in the words that all wire formats share. */
export interface StandInCall {
  readonly provider: Provider
  readonly api: Api
  readonly model: string
  readonly stream: boolean
  readonly system: string
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  /** JSON Schema that the request asks for. */
  readonly schema?: Json
  readonly maxTokens?: number
  /** Tokens of the input that the server reads; it silently drops the rest from the front. */
  readonly window?: number
  /** Ceiling of (characters of system and messages) / 4. */
  readonly inputTokens: number
  /** Set for a row of a batch. */
  readonly customId?: string
  readonly body: Json
}

/** System and messages as one text. */
export function promptOf(call: StandInCall): string {
  return [call.system, ...call.messages.map((message) => message.text)].join('\n\n')
}

/** The stand-in's own tokenizer. */
export function tokensOf(...texts: readonly string[]): number {
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4)
}

/** The text of a string, of `{text}`, `{content}`, or of a list of them. Anything else has no text. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(textOf).join('')
  if (isJson(content)) return textOf(content.text ?? content.content)
  return ''
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `value` if it is an object, otherwise an empty one. */
export function jsonOf(value: unknown): Json {
  return isJson(value) ? value : {}
}
