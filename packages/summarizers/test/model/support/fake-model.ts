import type { TokenUsage } from '@tenfold/core'
import type { Model, ModelReply, ModelRequest } from '../../../src/provider/model.ts'

/** A block of the transcript as a model sees it that follows the format. */
export interface SeenBlock {
  readonly id: string
  readonly speaker: string
  readonly text: string
}

/** The blocks between the marks, separated by their heads; quoted lines are text. */
export function blocksOf(request: ModelRequest, name = 'transcript'): SeenBlock[] {
  const body = dataOf(request, name)
  const blocks: { id: string; speaker: string; lines: string[] }[] = []
  for (const line of body.split('\n')) {
    const head = /^\[([^\]-]+)(?:-[^\]]+)?\] ([^,]+)/.exec(line)
    if (line.startsWith('|')) blocks.at(-1)?.lines.push(line.slice(2))
    else if (head) blocks.push({ id: head[1] ?? '', speaker: head[2] ?? '', lines: [] })
  }
  return blocks.map(({ lines, ...block }) => ({ ...block, text: lines.join('\n') }))
}

/** Everything between the lines that open and close data, by the mark of the first of them. */
export function dataOf(request: ModelRequest, name: string): string {
  const text = request.messages[0]?.text ?? ''
  const mark = markOf(request)
  const open = `BEGIN ${name} ${mark}\n`
  const start = `\n${text}`.indexOf(`\n${open}`)
  if (start < 0) return ''
  const from = start + open.length
  return text.slice(from, text.indexOf(`\nEND ${name} ${mark}`, from - 1))
}

export function markOf(request: ModelRequest): string {
  return /^BEGIN \S+ ([\da-f]{12})$/m.exec(request.messages[0]?.text ?? '')?.[1] ?? ''
}

/** An answer with every field that the schema asks for, empty except for those given. */
export function answerTo(request: ModelRequest, fields: Record<string, unknown> = {}): string {
  const properties = request.schema.properties as Record<string, { type: string }>
  const empty = Object.entries(properties).map(([name, { type }]) => [name, type === 'array' ? [] : ''])
  return JSON.stringify({ ...Object.fromEntries(empty), ...fields })
}

export function replyOf(text: string, reply: Partial<ModelReply> = {}): ModelReply {
  return { text, usage: { inputTokens: 2500, outputTokens: 100 }, stop: 'end', ...reply }
}

/** A model that summarizes its input in a simple way, and respects who speaks. */
export const honestModel: Model = async (request) => replyOf(honestAnswer(request))

export function honestAnswer(request: ModelRequest): string {
  const blocks = blocksOf(request)
  const users = blocks.filter(({ speaker }) => speaker === 'user')
  const last = blocks.findLast(({ speaker }) => speaker === 'assistant')
  const command = /`([^`\n]+)`/.exec(last?.text ?? '')?.[1] ?? null
  const evidence = last === undefined ? [] : [`[${last.id}]`]
  return answerTo(request, {
    summary: users.map(({ text }) => text).join(' / ') || 'Nothing new.',
    findings: blocks.map(({ id, speaker }) => ({ text: `${speaker} said something`, evidence: [id] })),
    decisions: users.map(({ id, text }) => ({
      topic: '',
      choice: text,
      rationale: '',
      alternatives: [],
      by: 'user',
      evidence: [id],
    })),
    nextSteps: last === undefined ? [] : [{ action: last.text.slice(-80), command, evidence }],
  })
}

/** A model that gives its replies one after the other, and keeps its requests and its bill. */
export function scriptedModel(
  script: readonly (ModelReply | Error | ((request: ModelRequest) => ModelReply))[],
): {
  readonly call: Model
  readonly requests: ModelRequest[]
  readonly billed: TokenUsage[]
} {
  const requests: ModelRequest[] = []
  const billed: TokenUsage[] = []
  return {
    requests,
    billed,
    async call(request) {
      const next = script[requests.length]
      requests.push(request)
      if (next === undefined) throw new Error('the script is at its end')
      if (next instanceof Error) {
        billed.push('usage' in next ? (next.usage as TokenUsage) : {})
        throw next
      }
      const reply = typeof next === 'function' ? next(request) : next
      billed.push(reply.usage)
      return reply
    },
  }
}

/** Numbers from 0 up to 1, the same each time. */
export function seeded(seed = 1): () => number {
  let state = seed
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}
