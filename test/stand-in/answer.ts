import { isJson, type Json, jsonOf, promptOf, type StandInCall } from './call.ts'
import { eventIds, lastCommand, type PromptEvent, promptEvents } from './prompt-events.ts'

/** The parts of the prompt that an answer is made from. */
interface Material {
  readonly ids: readonly string[]
  readonly first: PromptEvent
  readonly last: PromptEvent
  /** The last answer of the assistant, otherwise the last user message. */
  readonly closing: PromptEvent
  readonly command: { readonly id: string; readonly command: string } | undefined
}

/**
 * An answer to a call as a diligent model would give it: a value of the requested JSON Schema, made from the prompt.
 * The same call gets the same answer.
 */
export function answerOf(call: StandInCall): unknown {
  const prompt = promptOf(call)
  const schema = call.schema ?? fencedSchema(prompt) ?? {}
  return valueFor(schema, '', { root: schema, from: materialOf(call, prompt), at: [], turn: 0 })
}

function materialOf(call: StandInCall, prompt: string): Material {
  const events = promptEvents(prompt)
  const data = call.messages.map((message) => message.text).join('\n')
  const said = call.messages.find((message) => message.role === 'user')?.text ?? prompt
  // Without a transcript: the earlier summary, whose lines have a bar too.
  const barred = said.split('\n').filter((line) => line.startsWith('| '))
  const text = barred.length === 0 ? said : barred.map((line) => line.slice(2)).join('\n')
  const plain: PromptEvent = { id: '', by: 'user', label: 'user', text }
  const users = events.filter((event) => event.by === 'user' && event.text !== '')
  const last = users.at(-1) ?? plain
  const known = new Set(events.map((event) => event.id))
  return {
    ids: known.size > 0 ? [...known] : eventIds(data),
    first: users[0] ?? plain,
    last,
    closing:
      events.findLast(
        (event) => event.by === 'assistant' && !event.label.includes(', agent ') && event.text !== '',
      ) ?? last,
    command: lastCommand(events),
  }
}

/** The last JSON Schema in a code fence of the text. */
function fencedSchema(prompt: string): Json | undefined {
  const blocks: string[] = []
  let open = false
  for (const line of prompt.split('\n')) {
    const fence = line.startsWith('```')
    if (fence && !open) blocks.push('')
    if (fence) open = !open
    else if (open) blocks.push(`${blocks.pop()}${line}\n`)
  }
  for (const block of blocks.toReversed()) {
    try {
      const value: unknown = JSON.parse(block)
      if (isJson(value) && ('properties' in value || 'type' in value)) return value
    } catch {
      // Not JSON: some other block of code.
    }
  }
  return undefined
}

interface Place {
  readonly root: Json
  readonly from: Material
  /** Names of the properties on the way here. */
  readonly at: readonly string[]
  /** Which item of an array. */
  readonly turn: number
}

function valueFor(schema: unknown, name: string, place: Place): unknown {
  const node = resolved(jsonOf(schema), place.root)
  if ('const' in node) return node.const
  if (Array.isArray(node.enum)) return name === 'by' && node.enum.includes('user') ? 'user' : node.enum[0]
  const choices = [node.anyOf, node.oneOf].find(Array.isArray)
  const types = Array.isArray(node.type) ? node.type : [node.type]
  const nullable =
    types.includes('null') || choices?.some((choice) => jsonOf(choice).type === 'null') === true
  if (nullable && isNull(name, place)) return null
  if (choices !== undefined)
    return valueFor(
      choices.find((choice) => jsonOf(choice).type !== 'null'),
      name,
      place,
    )
  const type =
    types.find((candidate) => candidate !== 'null') ?? ('properties' in node ? 'object' : undefined)
  if (type === 'object') return objectOf(node, name, place)
  if (type === 'array') return arrayOf(node, name, place)
  if (type === 'integer' || type === 'number') return typeof node.minimum === 'number' ? node.minimum : 1
  if (type === 'boolean') return false
  if (type === 'string') return stringOf(node, name, place)
  return type === undefined && Object.keys(node).length === 0 ? {} : null
}

function resolved(node: Json, root: Json): Json {
  let at = node
  for (let hops = 0; typeof at.$ref === 'string' && hops < 10; hops++) {
    const path = at.$ref.replace(/^#\/?/, '').split('/').filter(Boolean)
    at = path.reduce<Json>((parent, key) => jsonOf(parent[key]), root)
  }
  return at
}

/** Null if the prompt says nothing. */
function isNull(name: string, { from }: Place): boolean {
  if (name === 'command') return from.command === undefined
  return !['topic', 'choice', 'currentTask', 'summary', 'plan', 'progress', 'research'].includes(name)
}

function objectOf(node: Json, name: string, place: Place): Json {
  const at = name === '' ? place.at : [...place.at, name]
  return Object.fromEntries(
    Object.entries(jsonOf(node.properties)).map(([key, child]) => [
      key,
      valueFor(child, key, { ...place, at }),
    ]),
  )
}

/** Lists of an update that name finished earlier statements: empty. */
const emptyLists =
  /^(?:resolved|obsolete|changed|removed|dropped|blockers|alternatives|risks|fileReasons|settled)$/i

function arrayOf(node: Json, name: string, place: Place): unknown[] {
  if (emptyLists.test(name)) return []
  const items = resolved(jsonOf(node.items), place.root)
  if (/evidence$/i.test(name) || name === 'events' || name === 'ids') return evidenceOf(place)
  const most = typeof node.maxItems === 'number' ? node.maxItems : 2
  const count = Math.min(most, name === 'constraints' ? 2 : 1)
  const at = [...place.at, name]
  return Array.from({ length: count }, (_, turn) => valueFor(items, name, { ...place, at, turn }))
}

function evidenceOf({ from, at, turn }: Place): string[] {
  const about = at.includes('nextSteps')
    ? (from.command?.id ?? from.closing.id)
    : at.some(isOfAgent)
      ? from.closing.id
      : at.some(isOpen) || turn > 0
        ? from.last.id
        : from.first.id
  const id = from.ids.includes(about) ? about : from.ids[0]
  return id === undefined ? [] : [id]
}

function stringOf(node: Json, name: string, place: Place): string {
  const { from, at, turn } = place
  const first = clipped(from.first.text)
  const last = clipped(from.last.text)
  if (name === 'command') return from.command?.command ?? ''
  if (name === 'summary' || name === 'approach' || name === 'currentState')
    return `The user began with: ${first} The user said last: ${last}`
  if (name === 'resumeInstructions') return `Go on from what the user said last: ${last}`
  if (/^(?:event|id|evidence)$/.test(name)) return from.ids[0] ?? 'e1'
  if (name === 'at' || node.format === 'date-time') return '2026-01-01T00:00:00Z'
  if (at.includes('constraints')) return turn === 0 ? first : last
  if (name === 'action') return `Go on with: ${last}`
  if (name === 'topic') return 'what to do'
  if (name === 'phase') return 'implementing'
  if (name === 'choice') return first
  if (name === 'rationale' || name === 'reason') return 'The user asked for it.'
  if (at.some(isOfAgent)) return clipped(from.closing.text)
  return name === 'currentTask' || at.some(isOpen) || turn > 0 ? last : first
}

/** Lists of what the agent found and did. */
function isOfAgent(name: string): boolean {
  return /^findings$|completed$/i.test(name)
}

/** Lists of what is left. */
function isOpen(name: string): boolean {
  return /remaining$|^(?:openQuestions|inProgress)$/i.test(name)
}

/** The first meaningful line, at most 160 characters of it, up to a word and before any omission. */
function clipped(text: string): string {
  const lines = text.split(/[\r\n\u2028\u2029]+/).map((line) => (line.split('[…')[0] ?? '').trim())
  const line = lines.find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? 'nothing'
  return line.length <= 160 ? line : line.slice(0, 160).replace(/\s\S*$/, '')
}
