import type { SourcePosition } from '../../session/event.ts'
import { type Conversation, createConversation, writeUser } from '../messages/conversation.ts'
import { readToolUse } from './tool-use.ts'

/** A message between two role marks. */
interface Segment {
  readonly role: 'user' | 'agent'
  readonly isChild: boolean
  readonly model: string | undefined
  readonly time: string | undefined
  readonly at: SourcePosition
  readonly lines: string[]
}

/** The state of reading one file. */
export type MarkdownRun = ReturnType<typeof createMarkdownRun>

/** The state before the first line. */
export function createMarkdownRun(conversation: Conversation) {
  return {
    conversation,
    segment: undefined as Segment | undefined,
    /** Whether a tool use is open. */
    inTool: false,
    /** Number of open fences. */
    fences: 0,
    startedAt: undefined as string | undefined,
    child: undefined as
      | { readonly conversation: Conversation; readonly callId: string | undefined }
      | undefined,
    children: 0,
    /** Calls that start subagents, none of which has appeared yet. */
    tasks: [] as string[],
    /** The slash command that the last message was. */
    command: undefined as { readonly name: string; readonly time: string } | undefined,
  }
}

/** Reads the message that ends here. */
export function readSegment(run: MarkdownRun): void {
  const { segment } = run
  if (segment === undefined) return
  run.segment = undefined
  const conversation = speakerOf(run, segment)
  conversation.time = segment.time ?? conversation.time
  conversation.model = segment.role === 'agent' ? segment.model : undefined
  conversation.at = segment.at
  const lines = withoutSeparator(segment.lines)
  const { command } = run
  run.command = undefined
  if (segment.role === 'user') readUser(run, conversation, segment, lines.join('\n').trim(), command)
  else if (segment.isChild && segment.model === undefined) readTask(conversation, lines)
  else readAnswer(run, conversation, segment, lines)
  conversation.at = undefined
}

/** Reads a message of the user; one with the time of the command before it is what the command stands for. */
function readUser(
  run: MarkdownRun,
  conversation: Conversation,
  { time }: Segment,
  text: string,
  command: MarkdownRun['command'],
): void {
  if (command !== undefined && command.time === time && !text.startsWith('<'))
    conversation.write({ type: 'context', origin: 'harness', name: command.name, text })
  else writeUser(conversation, [text])
  const name = text.startsWith('<command-') ? /<command-name>\/?([\w:-]{1,80})</.exec(text)?.[1] : undefined
  if (name !== undefined && time !== undefined) run.command = { name: `/${name}`, time }
}

/** Lines without the rule that separates two exchanges. */
function withoutSeparator(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return lines.slice(0, lines[last]?.trim() === '---' ? last : last + 1)
}

/** Messages of a sidechain belong to the subagent that began last: they have no id. */
function speakerOf(run: MarkdownRun, segment: Segment): Conversation {
  if (!segment.isChild) return run.conversation
  if (segment.model !== undefined && run.child !== undefined) return run.child.conversation
  endChild(run)
  const callId = run.tasks.shift()
  run.children++
  const agent = `sidechain-${run.children}`
  const { conversation } = run
  conversation.at = segment.at
  conversation.time = segment.time ?? conversation.time
  conversation.begin(agent, { callId })
  conversation.at = undefined
  run.child = { conversation: createConversation(conversation.out, agent, conversation), callId }
  return run.child.conversation
}

/** Ends the current subagent. */
export function endChild(run: MarkdownRun): void {
  if (run.child === undefined) return
  const { conversation, callId } = run.child
  run.conversation.end(conversation.agent, callId)
  run.child = undefined
}

function readTask(conversation: Conversation, lines: readonly string[]): void {
  const text = lines.join('\n').trim()
  if (text !== '') conversation.write({ type: 'context', origin: 'agent', name: 'task', text })
}

const thought = /^<think>/
const thoughtEnd = /<\/think>\s*$/
const plainTool = /^Tool use: \*\*([^*]{1,200})\*\*/
const plainPatch = /^\*\*(?:Add|Update|Delete|Move): `[^`]+`(?: (?:→|->|to) `[^`]+`)?\*\*\s*$/

/** A session resumed by SpecStory has the titles of older thoughts as plain text, each in its own message. */
const thoughtTitle = /^\*\*[^*\n]{2,120}[^*\n.:?!]\*\*$/

/** Text, thoughts and tool uses of the model, in order. */
function readAnswer(
  run: MarkdownRun,
  conversation: Conversation,
  segment: Segment,
  lines: readonly string[],
): void {
  let words: string[] = []
  let from = 0
  const place = (index: number): void => {
    conversation.at = { file: segment.at.file, line: segment.at.line + 1 + index }
  }
  const flush = (): void => {
    place(from)
    const text = words.join('\n').trim()
    words = []
    if (text === '') return
    if (thoughtTitle.test(text)) conversation.think(text)
    else conversation.say(text)
  }
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const end = blockEnd(lines, index, words)
    if (end === undefined) {
      if (words.length === 0) from = index
      words.push(line)
      continue
    }
    flush()
    place(index)
    const block = [
      ...(plainPatch.test(line) ? ['Tool use: **apply_patch**'] : []),
      ...lines.slice(index, end + 1),
    ]
    if (thought.test(line)) conversation.think(thoughtText(block))
    else {
      const call = readToolUse(conversation, block)
      if (call !== undefined && /^(?:Task|Agent)$/.test(call.name)) run.tasks.push(call.callId)
    }
    index = end
  }
  flush()
}

/** The end of the thought or tool use that begins at a line; `undefined` if none begins there. */
function blockEnd(lines: readonly string[], start: number, words: readonly string[]): number | undefined {
  const line = lines[start] ?? ''
  if (thought.test(line)) return endLine(lines, start, thoughtEnd)
  if (/^<tool-use\b/.test(line)) return endLine(lines, start, /^(?:<\/details>)?<\/tool-use>\s*$/)
  const details = /^<details>/.test(line) && /<summary>Tool use: /.test(`${line}${lines[start + 1] ?? ''}`)
  if (details) return endLine(lines, start, /^<\/details>\s*$/)
  // A session resumed by SpecStory holds its older tool uses as plain text, each in its own message, patches unnamed.
  const isFirst = words.every((word) => word.trim() === '')
  const isPlain = isFirst && (plainTool.test(line) || isPlainPatch(lines, start))
  return isPlain ? lines.length - 1 : undefined
}

function isPlainPatch(lines: readonly string[], start: number): boolean {
  return (
    plainPatch.test(lines[start] ?? '') &&
    /^`{3,}diff\s*$/.test(lines.slice(start + 1).find((text) => text.trim() !== '') ?? '')
  )
}

function endLine(lines: readonly string[], start: number, mark: RegExp): number {
  for (let index = start; index < lines.length; index++) if (mark.test(lines[index] ?? '')) return index
  return lines.length - 1
}

function thoughtText(block: readonly string[]): string {
  const text = block.join('\n').replace(/^<think>(?:<details>)?(?:<summary>[^\n]*?<\/summary>)?/, '')
  return text.replace(/(?:<\/details>)?<\/think>\s*$/, '').trim()
}
