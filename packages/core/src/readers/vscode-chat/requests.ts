import type { EventDraft, SourcePosition } from '../../session/event.ts'
import { asCount, asObject, asText, type JsonObject, objectsIn } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { textOf } from '../../session/plain-value.ts'
import type { TokenUsage } from '../../session/usage.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'
import { timeOfMillis } from '../shared/epoch-time.ts'
import { pathOfUri } from '../shared/path-of-uri.ts'
import { isInvocation, responseTexts } from './response.ts'
import { type ChatTool, callOf, invocationTool, roundTool } from './tools.ts'

/** The state of reading one chat. */
export type ChatState = ReturnType<typeof createChatState>

export function createChatState(out: SessionWriter) {
  return { out, newCallId: createCallIds(), calls: 0, answers: 0 }
}

type Write = (draft: EventDraft, time?: string) => void

/** Writes the events of a request: what the user asked, and what the model answered and did. */
export function readRequest(state: ChatState, request: JsonObject, at: SourcePosition): void {
  const { out } = state
  const started = timeOfMillis(request.timestamp)
  const write: Write = (draft, time = started) => {
    out.event(time === undefined ? draft : { ...draft, time }, at)
  }
  readQuestion(request, write)
  const result = asObject(request.result)
  const metadata = asObject(result?.metadata)
  const model = asText(metadata?.resolvedModel) ?? asText(request.modelId)?.replace(/^copilot\//, '')
  const rounds = objectsIn(metadata?.toolCallRounds)
  const response = objectsIn(request.response)
  if (rounds.length > 0) readRounds(state, { rounds, response, metadata, model }, write)
  else readResponse(state, response, model, write)
  const fault = asText(asObject(result?.errorDetails)?.message)
  if (fault !== undefined) write({ type: 'context', origin: 'harness', name: 'error', text: fault })
  if (request.isCanceled === true)
    write({ type: 'context', origin: 'harness', name: 'interrupted', text: 'The user stopped the answer.' })
  const usage = usageOf(request, metadata)
  state.answers++
  if (usage !== undefined) out.usage(`answer-${state.answers}`, 'main', model ?? 'unknown', usage)
}

function readQuestion(request: JsonObject, write: Write): void {
  const message = asObject(request.message)
  const parts = objectsIn(message?.parts).map((part) => textOf(part.text))
  const text = asText(message?.text) ?? asText(request.message) ?? parts.join('')
  const variables = objectsIn(asObject(request.variableData)?.variables)
  const images = variables.filter(({ kind }) => kind === 'image').length
  if (text !== '' || images > 0) write({ type: 'user', origin: 'typed', text, ...(images > 0 && { images }) })
  const files = variables.flatMap(({ value }) => pathOfUri(asObject(value)?.uri ?? value) ?? [])
  const attached = [...new Set(files)].join('\n')
  if (attached !== '') write({ type: 'context', origin: 'attachment', name: 'attached', text: attached })
}

/** What the extension keeps of an answer: the model's texts and calls, round by round, and the results by call. */
interface Answer {
  readonly rounds: readonly JsonObject[]
  readonly response: readonly JsonObject[]
  readonly metadata: JsonObject | undefined
  readonly model: string | undefined
}

function readRounds(state: ChatState, { rounds, response, metadata, model }: Answer, write: Write): void {
  const results = asObject(metadata?.toolCallResults) ?? {}
  const shown = shownTerminals(rounds, response)
  let said = false
  for (const round of rounds) {
    const time = timeOfMillis(round.timestamp)
    const thought = asObject(round.thinking)?.text
    const thinking = Array.isArray(thought) ? thought.map(textOf).join('\n') : textOf(thought)
    if (thinking.trim() !== '') write({ type: 'reasoning', text: thinking }, time)
    const text = textOf(round.response)
    if (text.trim() !== '') {
      said = true
      write({ type: 'assistant', text, ...known({ model: asText(round.modelId) ?? model }) }, time)
    }
    for (const call of objectsIn(round.toolCalls))
      writeTool(state, roundTool(call, results, shown.get(call)), write, time)
  }
  if (!said) for (const draft of responseTexts(response, model)) if (draft.type === 'assistant') write(draft)
}

/** The terminal commands of the rounds, with what VS Code shows of each: it has ids of its own, but the same order. */
function shownTerminals(
  rounds: readonly JsonObject[],
  response: readonly JsonObject[],
): Map<JsonObject, JsonObject> {
  const ran = rounds
    .flatMap((round) => objectsIn(round.toolCalls))
    .filter(({ name }) => name === 'run_in_terminal')
  const shown = response.filter((part) => asObject(part.toolSpecificData)?.kind === 'terminal')
  if (ran.length !== shown.length) return new Map()
  return new Map(ran.map((call, index) => [call, shown[index] ?? {}]))
}

/** An answer of which only what VS Code shows is left. */
function readResponse(
  state: ChatState,
  response: readonly JsonObject[],
  model: string | undefined,
  write: Write,
): void {
  for (const part of responseTexts(response, model)) {
    if (!isInvocation(part)) write(part)
    else writeTool(state, invocationTool(part.part), write, undefined)
  }
}

function writeTool(state: ChatState, tool: ChatTool, write: Write, time: string | undefined): void {
  state.calls++
  const callId = state.newCallId(tool.id, `call-${state.calls}`)
  write({ ...callOf(tool), callId }, time)
  if (tool.result !== undefined) write({ type: 'tool_result', callId, ...tool.result }, time)
}

function usageOf(request: JsonObject, metadata: JsonObject | undefined): TokenUsage | undefined {
  const inputTokens = asCount(metadata?.promptTokens) ?? asCount(request.promptTokens)
  const outputTokens = asCount(metadata?.outputTokens) ?? asCount(request.completionTokens)
  const usage = known<TokenUsage>({ inputTokens, outputTokens })
  return Object.keys(usage).length === 0 ? undefined : usage
}
