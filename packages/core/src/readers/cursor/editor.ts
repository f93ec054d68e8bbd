import type { SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { parseShallow } from '../log/parse-line.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRow, SessionListing } from '../reader/reader.ts'
import { columnText } from '../shared/framing.ts'
import { pathOfUri, sortedBy, timeOfMillis } from '../shared/values.ts'
import type { Writer } from '../shared/writer.ts'
import { bubbleTool } from './bubble-tool.ts'
import { keysFrom } from './shapes.ts'
import { writeUserText } from './transcript.ts'

export type DatabaseReading = ReturnType<typeof readEditor>

export function readEditor(writer: Writer) {
  const { out } = writer
  const store = collectComposers()
  const bubbles = new Map<string, { text: string; at: SourcePosition }>()
  const contents = new Map<string, string>()
  const asked = new Set<string>()
  let composers: ReadonlyMap<string, Composer> | undefined
  let chosen: Composer | undefined
  let wanted: ReadonlySet<string> = new Set()

  function choose(): ReadonlyMap<string, Composer> {
    composers = store.composers()
    const roots = rootsOf([...composers.values()])
    const isRoot = roots.some(({ id }) => id === out.sessionId)
    chosen = (isRoot ? undefined : composers.get(out.sessionId ?? '')) ?? chooseSession(roots, out)
    if (chosen === undefined) return composers
    wanted = withSubagents(chosen, composers)
    for (const id of out.sessionId === undefined ? [] : wanted)
      if (id !== chosen.id) out.alsoRead(keysFrom(`bubbleId:${id}:`))
    return composers
  }

  return {
    row(row: LogRow, place: SourcePosition): void {
      const name = json.text(row.row.key) ?? ''
      const [kind, composer = '', bubble = ''] = name.split(':')
      if (row.table === 'composerHeaders' || kind === 'composerData') {
        store.add(row, place)
        out.absorb('session metadata')
        return
      }
      const text = columnText(row.row.value)
      if (kind !== 'bubbleId') {
        contents.set(name, text)
        out.absorb('contents of an edited file')
        return
      }
      if (composers === undefined) choose()
      if (!wanted.has(composer)) {
        out.absorb('message of another session')
        return
      }
      bubbles.set(`${composer}:${bubble}`, { text, at: place })
      out.absorb('message, read with its session')
      for (const [content] of text.matchAll(/composer\.content\.[\da-f]{64}/g)) {
        if (asked.has(content)) continue
        asked.add(content)
        out.alsoRead({ table: 'cursorDiskKV', column: 'key', from: content, below: `${content}\0` })
      }
    },
    finish(): void {
      const all = composers ?? choose()
      if (chosen === undefined) return
      const { id, title, cwd, branch, model } = chosen
      out.meta({ id, title, cwd, branch, models: [model] })
      writeComposer(chosen, { writer, composers: all, bubbles, contents, written: new Set([id]) })
    },
  }
}

function withSubagents(root: Composer, composers: ReadonlyMap<string, Composer>): Set<string> {
  const ids = new Set([root.id])
  for (const id of ids) {
    for (const child of composers.get(id)?.children ?? []) if (composers.has(child)) ids.add(child)
    for (const { id: child, parent } of composers.values()) if (parent === id) ids.add(child)
  }
  return ids
}

interface ComposerParts {
  readonly writer: Writer
  readonly composers: ReadonlyMap<string, Composer>
  readonly bubbles: ReadonlyMap<string, { readonly text: string; readonly at: SourcePosition }>
  readonly contents: ReadonlyMap<string, string>
  /** The conversations begun so far, since those of subagents may refer to each other. */
  readonly written: Set<string>
}

function writeComposer(composer: Composer, parts: ComposerParts): void {
  const { writer, composers, bubbles } = parts
  let missing = 0
  for (const [index, { id, inline, time }] of composer.bubbles.entries()) {
    const stored = bubbles.get(`${composer.id}:${id}`)
    const bubble = inline ?? json.object(parseShallow(stored?.text ?? ''))
    if (bubble === undefined) {
      missing++
      continue
    }
    // Many messages have no time; the first and the last one get those of the conversation.
    const isLast = index === composer.bubbles.length - 1
    const edge = index === 0 ? composer.startedAt : isLast ? composer.endedAt : undefined
    writer.at = stored?.at ?? composer.at
    writer.time = timeOf(bubble.createdAt) ?? time ?? edge
    writer.model = undefined
    if (bubble.type === 1) readUser(writer, bubble)
    else if (bubble.type === 2) readAssistant(writer, bubble, composer.model)
    else writer.other({ type: bubble.type, text: bubble.text }, 'message')
    const tool = bubbleTool(json.fields(bubble.toolFormerData), parts.contents)
    if (tool === undefined) continue
    const call = writer.call(tool)
    const child = composers.get(tool.child ?? '')
    if (child !== undefined) writeSubagent(child, call.callId, parts)
    if (tool.outcome !== undefined) writer.result(call, tool.outcome)
  }
  for (const child of composers.values()) {
    writer.at = child.at
    const isOwn = child.parent === composer.id || composer.children.includes(child.id)
    if (isOwn) writeSubagent(child, child.callId, parts)
  }
  const lost = `${missing} messages of session ${composer.id} are not in the database`
  if (missing > 0) writer.out.note('missing-message', lost)
}

function writeSubagent(child: Composer, callId: string | undefined, parts: ComposerParts): void {
  const { id, title, type } = child
  if (parts.written.has(id)) return
  parts.written.add(id)
  parts.writer.within(id, { callId, type, title }, () => writeComposer(child, parts))
}

function readUser(writer: Writer, bubble: json.Fields): void {
  const text = json.text(bubble.text) ?? richTextOf(bubble.richText)
  writeUserText(writer, text, json.list(bubble.images).length)
  // Files and folders that the user attached, by path, and selected code and terminal output.
  const { fileSelections, folderSelections, selections, terminalSelections } = json.fields(bubble.context)
  const paths = [...json.objects(fileSelections), ...json.objects(folderSelections)].flatMap(
    ({ uri, relativePath }) => pathOfUri(uri) ?? json.text(relativePath) ?? [],
  )
  const texts = [...json.objects(selections), ...json.objects(terminalSelections)].flatMap((selected) => {
    const words = json.text(selected.text) ?? json.text(selected.rawText)
    const path = pathOfUri(selected.uri)
    return words === undefined ? [] : [path === undefined ? words : `${path}:\n${words}`]
  })
  writer.context('attachment', 'attached', [...new Set([...paths, ...texts])].join('\n'))
}

/** The editor's type number of a compaction message. */
const compaction = 22

function readAssistant(writer: Writer, bubble: json.Fields, fallback?: string): void {
  const model = json.text(bubble, 'modelInfo', 'modelName')
  writer.model = model === undefined || model === 'default' ? fallback : model
  writer.think(json.text(bubble, 'thinking', 'text') ?? json.text(bubble.thinking))
  const text = json.text(bubble.text) ?? ''
  if (bubble.capabilityType === compaction) writer.compact(text)
  else writer.say(text)
  // An error that ended the answer, as shown by the editor.
  const details = json.fields(bubble, 'errorDetails', 'error', 'details')
  writer.context('harness', 'error', json.texts([details.title, details.detail]).join(': '))
  const { inputTokens, outputTokens } = json.fields(bubble.tokenCount)
  const key = json.text(bubble.bubbleId) ?? `${writer.at?.file}:${writer.at?.line}`
  // Most counts are zeros, which mean unknown.
  if (json.count(inputTokens) || json.count(outputTokens)) writer.usage(key, { inputTokens, outputTokens })
}

/** Returns the words in the state of a Lexical editor (https://lexical.dev), one paragraph per line; other text unchanged. */
function richTextOf(value: unknown): string {
  const text = json.text(value) ?? ''
  const root = json.object(parseShallow(text), 'root')
  if (root === undefined) return text.startsWith('{') ? '' : text
  return json.list(root.children).map(wordsIn).join('\n').trim()
}

function wordsIn(node: unknown): string {
  const { children, text, type } = json.fields(node)
  return type === 'linebreak' ? '\n' : (json.text(text) ?? json.list(children).map(wordsIn).join(''))
}

interface Composer extends SessionListing, Partial<Readonly<Record<ComposerText, string>>> {
  readonly at: SourcePosition
  readonly children: readonly string[]
  /** `inline` is the message itself, in databases that keep it here. */
  readonly bubbles: readonly { id: string; time: string | undefined; inline: json.Fields | undefined }[]
}

type ComposerText = 'model' | 'branch' | 'parent' | 'callId' | 'type'

function composerOf(id: string, data: json.Fields, head: json.Fields, at: SourcePosition): Composer {
  const bubbles = bubblesOf(data)
  const folders = [data, head].map((each) => pathOfUri(json.at(each, 'workspaceIdentifier', 'uri')))
  const subagent = json.object(data.subagentInfo) ?? json.object(head.subagentInfo)
  const [repository] = [...json.objects(data.trackedGitRepos), ...json.objects(head.trackedGitRepos)]
  const model = json.text(data, 'modelConfig', 'modelName')
  const ends = [timeOfMillis(data.lastUpdatedAt), timeOfMillis(head.lastUpdatedAt), bubbles.at(-1)?.time]
  return {
    id,
    at,
    bubbles,
    children: json.texts(json.list(data.subagentComposerIds)),
    revision: String(bubbles.length),
    ...known({
      title: json.text(data.name) ?? json.text(head.name),
      startedAt: timeOfMillis(data.createdAt) ?? timeOfMillis(head.createdAt),
      endedAt: json.texts(ends).sort().at(-1),
      cwd: folders.find((folder) => folder !== undefined),
      // `default` means that the editor chooses the model.
      model: model === 'default' ? undefined : model,
      branch: json.text(data.createdOnBranch) ?? json.text(json.objects(repository?.branches)[0]?.branchName),
      parent: json.text(subagent?.parentComposerId),
      callId: json.text(subagent?.toolCallId),
      type: json.text(subagent?.subagentTypeName),
    }),
  }
}

function bubblesOf(data: json.Fields): Composer['bubbles'] {
  const listed = json.objects(data.fullConversationHeadersOnly)
  const given = listed.length === 0 ? json.objects(data.conversation) : listed
  return given.map((header) => {
    const id = json.text(header.bubbleId) ?? ''
    const inline = listed.length === 0 ? header : json.object(data.conversationMap, id)
    return { id, time: timeOf(header.createdAt), inline }
  })
}

function timeOf(value: unknown): string | undefined {
  return timeOfMillis(value) ?? json.text(value)
}

export function rootsOf(composers: readonly Composer[]): Composer[] {
  const children = new Set(composers.flatMap((composer) => composer.children))
  const own = composers.filter((each) => each.bubbles.length > 0 && !each.parent && !children.has(each.id))
  return sortedBy(own, ({ startedAt, endedAt }) => endedAt ?? startedAt ?? '')
}

export function collectComposers() {
  const heads = new Map<string, json.Fields>()
  const found = new Map<string, { data: json.Fields; at: SourcePosition }>()
  return {
    add(row: LogRow, at: SourcePosition): void {
      const value = json.object(parseShallow(columnText(row.row.value)))
      if (value === undefined) return
      if (row.table === 'composerHeaders') heads.set(json.text(row.row.composerId) ?? '', value)
      else found.set((json.text(row.row.key) ?? '').slice('composerData:'.length), { data: value, at })
    },
    composers: (): ReadonlyMap<string, Composer> =>
      new Map([...found].map(([id, { data, at }]) => [id, composerOf(id, data, heads.get(id) ?? {}, at)])),
  }
}
