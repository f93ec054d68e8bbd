import type { ToolResultEvent } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { diffCounts } from '../shared/diff-counts.ts'
import { stopIn } from '../shared/outcome.ts'
import type { Change, Outcome, Writer, WrittenCall } from '../shared/writer.ts'

/** Tracks the calls of a session. Each method returns `false` for a record of unknown form. */
export function createTools(writer: Writer) {
  const { out } = writer
  const calls = new Map<string, { readonly agent: string; readonly input: unknown }>()
  /** How often a call id was requested without having begun. */
  const asked = new Map<string, number>()
  const denied = new Set<string>()

  function answer(text: string): void {
    if (text.trim() === '' || !writer.isNew(`answer ${text.trim()}`)) out.absorb('repeated answer')
    else writer.say(text, { phase: 'final' })
  }

  function writeCall(id: string, name: string, input: unknown = null): void {
    const summary = name === 'task_complete' ? json.text(input, 'summary') : undefined
    if (summary === undefined) calls.set(id, { agent: writer.agent, input })
    else answer(summary)
    writer.call({ id, name, input, shownAs: summary === undefined ? undefined : 'answer' })
  }

  return {
    calls,
    answer,
    request(value: unknown): void {
      const { toolCallId, name, arguments: input } = json.fields(value)
      const id = json.text(toolCallId)
      if (id === undefined || json.text(name) === undefined) writer.other(value, 'tool request')
      else {
        asked.set(id, (asked.get(id) ?? 0) + 1)
        writeCall(id, String(name), input)
      }
    },
    start(data: json.Fields) {
      const id = json.text(data.toolCallId)
      const name = json.text(data.toolName)
      if (id === undefined || name === undefined) return false
      const waiting = asked.get(id) ?? 0
      writer.model = json.text(data.model)
      if (writer.peek(id)?.shownAs === 'command' || waiting > 0) out.absorb('repeated tool call')
      else writeCall(id, name, data.arguments)
      asked.set(id, Math.max(0, waiting - 1))
    },
    userCommand(data: json.Fields) {
      const id = json.text(data.toolCallId)
      const command = json.text(data.arguments, 'command')
      if (id === undefined || command === undefined) return false
      writer.call({ id, name: 'command', input: null, shownAs: 'command' })
      writer.write({ type: 'user', origin: 'command', text: `! ${command}` })
    },
    permission(data: json.Fields): void {
      const id = json.text(data.toolCallId)
      const isRefused = json.text(data.result, 'kind')?.startsWith('denied') === true
      if (isRefused && id !== undefined) denied.add(id)
      if (isRefused) writer.ask(json.at(data.result, 'feedback'), { origin: 'queued' })
      out.absorb('question to the user')
    },
    complete(data: json.Fields) {
      const id = json.text(data.toolCallId)
      if (id === undefined) return false
      const { content, detailedContent } = json.fields(data.result)
      const text = json.text(content) ?? json.text(data.error, 'message') ?? json.text(detailedContent) ?? ''
      const call = writer.take(id)
      writer.result(call, outcomeOf(data, text, call, denied.has(id)), id)
    },
  }
}

function outcomeOf(data: json.Fields, text: string, call: WrittenCall | undefined, denied: boolean): Outcome {
  const { contents, detailedContent } = json.fields(data.result)
  const status = statusOf(data.success, data.error, denied)
  return {
    ...(call?.kind === 'execute' ? shellEnd(text, data) : { text }),
    status: status === 'ok' ? undefined : status,
    changes: call?.kind === 'edit' ? changesOf(call.input, json.text(detailedContent) ?? '') : [],
    images: json.objects(contents).filter(({ type }) => type === 'image').length,
  }
}

function statusOf(success: unknown, error: unknown, denied: boolean): ToolResultEvent['status'] {
  if (success !== false && json.object(error) === undefined) return 'ok'
  const code = json.text(error, 'code') ?? ''
  const message = json.text(error, 'message') ?? ''
  // A refusal by a hook is not the user's.
  if (/^Denied by \w{1,40} hook\b/.test(message)) return 'error'
  if (denied || /denied|rejected/i.test(code)) return 'denied'
  return stopIn(message) ?? (/abort|cancel|interrupt/i.test(code) ? 'cancelled' : 'error')
}

const ending = /\n?<(?:shellId: \S{1,100} completed|exited) with exit code (-?\d{1,10})>\s*$/

/** Returns the exit code of a shell that ended, from the last line of its output, which is removed. */
function shellEnd(text: string, data: json.Fields): Pick<Outcome, 'text' | 'exitCode'> {
  const tail = text.slice(-300)
  const found = ending.exec(tail)
  if (found === null) return { text, exitCode: json.number(data, 'toolTelemetry', 'metrics', 'exit_code') }
  return { text: text.slice(0, text.length - tail.length + found.index), exitCode: Number(found[1]) }
}

function changesOf(input: unknown, diff: string): Change[] {
  const path = json.text(input, 'path')
  const counts = diffCounts(diff)
  if (path === undefined || counts === undefined || diff.indexOf('\ndiff --git ', 1) !== -1) return []
  const head = diff.slice(0, 2000)
  const isNew = /^create file mode|^new file mode|^--- (?:a\/)?(?:dev\/null|\/dev\/null)$/m.test(head)
  const isGone = /^deleted file mode|^\+\+\+ (?:b\/)?(?:dev\/null|\/dev\/null)$/m.test(head)
  return [{ path, action: isNew ? 'created' : isGone ? 'deleted' : 'modified', ...counts }]
}
