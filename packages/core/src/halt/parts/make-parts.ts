import { messageOf } from '../../errors.ts'
import { sessionToJsonl } from '../../readers/tenfold/write-session.ts'
import { throughLines } from '../../redact/redact-lines.ts'
import { learnSession, redactSession } from '../../redact/redact-session.ts'
import type { Redaction } from '../../redact/redaction.ts'
import { known } from '../../session/known.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { type HaltedConversation, toolCallRecords } from '../collect/collect-conversation.ts'
import type { CollectedHalt } from '../collect/collect-halt.ts'
import { plainJson } from '../collect/plain-json.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { DumpMetadata, DumpNote, MissingPart } from '../dump-schema.ts'
import type { Halt } from '../halt.ts'
import { learnFiles, makeFileParts } from './make-file-parts.ts'

/** A part that is ready to be stored. */
export interface MadePart {
  readonly path: string
  readonly bytes: Uint8Array
  /** Parts of its text that were replaced. */
  readonly redacted: number
}

/** All parts except metadata and manifest, and the metadata about them. */
export interface MadeParts {
  readonly parts: readonly MadePart[]
  readonly missing: readonly MissingPart[]
  readonly notes: readonly DumpNote[]
  readonly patch?: NonNullable<DumpMetadata['patch']> | undefined
}

/** Learns the secrets of everything that was collected, so that each is replaced at every occurrence. */
export async function learnHalt(halt: Halt, collected: CollectedHalt, redaction: Redaction): Promise<void> {
  const { state, conversation, environment, files } = collected
  redaction.learnValue(environment.variables)
  redaction.learnValue(executionContext(halt, collected))
  if (state !== undefined) redaction.learnValue(state)
  if (conversation !== undefined) await learnConversation(conversation, redaction)
  if (files !== undefined) learnFiles(files, redaction)
}

/** Makes the parts, redacted. A failed part is missing, and costs no other part. */
export async function makeParts(
  halt: Halt,
  collected: CollectedHalt,
  redaction: Redaction,
): Promise<MadeParts> {
  const parts: MadePart[] = []
  const missing: MissingPart[] = []
  const { state, conversation, environment, files, cwd } = collected
  const make = async (path: string, bytes: () => Uint8Array | Promise<Uint8Array>): Promise<void> => {
    const before = redaction.hits
    try {
      parts.push({ path, bytes: await bytes(), redacted: redaction.hits - before })
    } catch (error) {
      missing.push({ path, code: 'failed', reason: messageOf(error) })
    }
  }
  const json = (value: unknown): Uint8Array => encodeJson(redaction.redactValue(value))
  if (state !== undefined) await make(dumpPaths.state, () => json(state))
  if (conversation !== undefined)
    await make(dumpPaths.conversation, () => conversationBytes(conversation, redaction))
  const execution = executionContext(halt, collected)
  if (halt.agent === undefined)
    missing.push({ path: dumpPaths.execution, code: 'not-given', reason: 'no agent was given' })
  else await make(dumpPaths.execution, () => json(execution))
  const calls = toolCalls(halt, conversation)
  if (Array.isArray(calls)) await make(dumpPaths.toolCalls, () => json(calls))
  else missing.push({ path: dumpPaths.toolCalls, code: 'not-given', reason: calls })
  const made = files && (await makeFileParts(files, redaction, make))
  await make(dumpPaths.workingDirectory, () => new TextEncoder().encode(`${redaction.redact(cwd)}\n`))
  await make(dumpPaths.environment, () => json(environment))
  return { parts, missing, notes: made?.notes ?? [], ...known({ patch: made?.patch }) }
}

/** Content of `agent/execution-context.json`: the last run of the agent. */
function executionContext({ agent = {} }: Halt, { cwd }: CollectedHalt): Record<string, unknown> {
  const { conversation, toolCalls, ...run } = agent
  return { ...(plainJson(run) as Record<string, unknown>), cwd }
}

/** The calls, or why there are none. */
function toolCalls({ agent }: Halt, conversation: HaltedConversation | undefined): unknown[] | string {
  if (agent?.toolCalls !== undefined) return agent.toolCalls.map((call) => plainJson(call))
  if (conversation === undefined) return 'no conversation was given, or it could not be read'
  const session = conversation.form === 'raw' ? undefined : conversation.session
  return session === undefined ? 'the conversation is in no known format' : toolCallRecords(session)
}

async function learnConversation(conversation: HaltedConversation, redaction: Redaction): Promise<void> {
  if (conversation.form === 'session') learnSession(conversation.session, redaction)
  else if (conversation.form === 'turns') redaction.learnValue(conversation.turns)
  const log = logOf(conversation)
  if (log !== undefined)
    await drain(log, (text) => {
      redaction.learn(text)
      return text
    })
}

async function conversationBytes(
  conversation: HaltedConversation,
  redaction: Redaction,
): Promise<Uint8Array> {
  const log = logOf(conversation)
  if (log !== undefined)
    return await drain(log, (text) => redaction.redact(text, { keepLines: true, learned: true }))
  if (conversation.form === 'session')
    return jsonl(sessionToJsonl(redactSession(conversation.session, redaction)))
  const turns = conversation.form === 'turns' ? redaction.redactValue(conversation.turns) : []
  return jsonl(turns.map((turn) => `${JSON.stringify(turn)}\n`))
}

/** The text of a log that is kept itself. */
function logOf(conversation: HaltedConversation): Uint8Array | undefined {
  if (conversation.form === 'session') return conversation.log
  return conversation.form === 'raw' ? conversation.bytes : undefined
}

function jsonl(lines: Iterable<string>): Uint8Array {
  const pieces: Buffer[] = []
  for (const line of lines) pieces.push(Buffer.from(line))
  return Buffer.concat(pieces)
}

async function drain(bytes: Uint8Array, step: (text: string) => string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of throughLines(oneBlock(bytes), step)) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function* oneBlock(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
