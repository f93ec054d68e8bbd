import * as json from '../../session/json.ts'
import { cutFeedback, splitUserText } from '../claude-code/user.ts'
import { elementText, programPiece, splitPrompt } from '../codex/user-text.ts'
import { outcomeOf } from '../shared/outcome.ts'
import type { UserPiece } from '../shared/program-blocks.ts'
import { contentParts, outputText } from '../shared/values.ts'
import type { NewCall, Outcome, Writer, WrittenCall } from '../shared/writer.ts'

export function writeSystem(writer: Writer, text: string): void {
  if (writer.contextOnce('system', undefined, text))
    reportFolder(writer, /^\W{0,4}(?:Primary w|W)orking directory: (\/\S+)$/m.exec(text)?.[1])
}

/** Splits texts by author. Text that the user typed becomes one event, or a child's task. */
export function writeUser(writer: Writer, texts: readonly string[], images = 0): void {
  const pieces = texts.flatMap(userPieces)
  const typed = pieces.filter((piece) => piece.type === 'user' && piece.origin === 'typed')
  for (const piece of pieces) {
    if (piece.type !== 'user') {
      if (piece.type === 'context' && piece.name === 'environment_context')
        reportFolder(writer, elementText(piece.text, 'cwd'))
      writer.write(piece)
    } else if (piece.origin !== 'typed') writer.ask(piece.text, { origin: piece.origin })
    else if (piece === typed.at(-1)) writer.ask(typed.map(({ text }) => text).join('\n\n'), { images })
  }
  if (typed.length === 0) writer.ask('', { images })
}

function reportFolder({ agent, out }: Writer, cwd: string | undefined): void {
  if (cwd !== undefined && cwd !== '' && agent === 'main') out.meta({ cwd })
}

export function writeGiven(writer: Writer, role: 'system' | 'user', content: unknown): void {
  const { texts, images, others } = contentParts(content)
  if (role === 'system') writeSystem(writer, texts.join('\n'))
  else if (texts.length > 0 || images > 0) writeUser(writer, texts, images)
  keepOthers(writer, others)
  writer.out.absorb('empty message')
}

export function keepOthers(writer: Writer, others: readonly unknown[]): void {
  for (const other of others) writer.other(other, json.text(other, 'type') ?? 'message-part')
}

/** Writes a result; the words of a user who refused the call become a separate event. */
export function writeResult(writer: Writer, call: WrittenCall | undefined, id: unknown, outcome: Outcome) {
  const { text, feedback } = cutFeedback(outcome.text)
  writer.result(call, { ...outcome, text }, id)
  if (feedback !== undefined) writer.ask(feedback)
}

export function writeOutput(writer: Writer, given: json.Fields, output: unknown, failed?: boolean): void {
  const id = json.text(given.id)
  const { text, images } = outputText(output)
  const call = writer.take(id, json.text(given.name))
  writeResult(writer, call, id, { text, ...outcomeOf(text, failed), images })
}

/** Returns arguments parsed from a JSON string, or the string itself if it is not valid JSON. */
export function callArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  return /^\s*(?:null\s*)?$/.test(value) ? null : (json.parse(value) ?? value)
}

export function chatCalls(toolCalls: unknown): (NewCall & { readonly id: unknown })[] {
  return json.objects(toolCalls).flatMap((call) => {
    const name = json.text(call.function, 'name')
    const input = callArguments(json.at(call.function, 'arguments'))
    return name === undefined ? [] : [{ id: call.id, name, input }]
  })
}

/** Splits by the marks of Claude Code and Codex, because message arrays are often made from their sessions. */
function userPieces(given: string): UserPiece[] {
  // Claude Code's marks come first, since some of its tags look like those of Codex.
  return splitUserText(given).flatMap((piece): UserPiece[] => {
    if (piece.type !== 'user' || piece.origin !== 'typed') return [piece]
    if (imageSource.test(piece.text))
      return [{ type: 'context', origin: 'attachment', name: 'image', text: piece.text }]
    const query = /^<user_query>([\s\S]*)<\/user_query>$/.exec(piece.text)?.[1]?.trim()
    if (query !== undefined) return query === '' ? [] : [{ type: 'user', origin: 'typed', text: query }]
    const program = programPiece(piece.text)
    const { editor, words } = splitPrompt(piece.text)
    const added = program ?? editor
    const own: UserPiece[] = program === undefined && words !== '' ? [{ ...piece, text: words }] : []
    if (added === undefined) return own
    const { origin, name, text } = added
    return [{ type: 'context', origin, name, text }, ...own]
  })
}

/** A separate message of Claude Code about the source of a picture. */
const imageSource = /^(?:\[Image: source: [^\]\n]{1,1000}\]\s*)+$/
