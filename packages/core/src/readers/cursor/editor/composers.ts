import type { SourcePosition } from '../../../session/event.ts'
import { asList, asObject, asText, type JsonObject, objectsIn } from '../../../session/json-values.ts'
import { known } from '../../../session/known.ts'
import { parseShallow } from '../../log/parse-line.ts'
import type { LogRow, SessionListing } from '../../reader/reader.ts'
import { pathOfUri } from '../../shared/path-of-uri.ts'
import { timeOfMillis } from '../../shared/time.ts'
import { rowText } from '../rows.ts'

/** A conversation of the editor: its metadata, and its messages ("bubbles") in order. */
export interface Composer extends SessionListing {
  readonly at: SourcePosition
  readonly model?: string
  readonly branch?: string
  /** The conversation that started this one as a subagent. */
  readonly parent?: string
  readonly callId?: string
  readonly type?: string
  readonly children: readonly string[]
  readonly bubbles: readonly ComposerBubble[]
}

interface ComposerBubble {
  readonly id: string
  /** ISO 8601, UTC. */
  readonly time?: string
  /** The message itself, in databases that keep it here. */
  readonly inline?: JsonObject
}

/** A conversation from its `composerData`, and its row in `composerHeaders` if there is one. */
function composerOf(id: string, data: JsonObject, head: JsonObject, at: SourcePosition): Composer {
  const bubbles = bubblesOf(data)
  const workspace = [data.workspaceIdentifier, head.workspaceIdentifier].map(asObject)
  const subagent = asObject(data.subagentInfo) ?? asObject(head.subagentInfo)
  const [repository] = [...objectsIn(data.trackedGitRepos), ...objectsIn(head.trackedGitRepos)]
  const model = asText(asObject(data.modelConfig)?.modelName)
  return {
    id,
    at,
    bubbles,
    children: asList(data.subagentComposerIds).flatMap((child) => asText(child) ?? []),
    revision: String(bubbles.length),
    ...known({
      title: asText(data.name) ?? asText(head.name),
      startedAt: timeOfMillis(data.createdAt) ?? timeOfMillis(head.createdAt),
      endedAt: latest([
        timeOfMillis(data.lastUpdatedAt),
        timeOfMillis(head.lastUpdatedAt),
        bubbles.at(-1)?.time,
      ]),
      cwd: workspace.map((each) => pathOfUri(each?.uri)).find((folder) => folder !== undefined),
      // The editor chooses.
      model: model === 'default' ? undefined : model,
      branch: asText(data.createdOnBranch) ?? asText(objectsIn(repository?.branches)[0]?.branchName),
      parent: asText(subagent?.parentComposerId),
      callId: asText(subagent?.toolCallId),
      type: asText(subagent?.subagentTypeName),
    }),
  }
}

/** The messages: a list of their ids, or in older databases the messages themselves. */
function bubblesOf(data: JsonObject): ComposerBubble[] {
  const map = asObject(data.conversationMap) ?? {}
  const listed = objectsIn(data.fullConversationHeadersOnly)
  if (listed.length === 0) return objectsIn(data.conversation).map((bubble) => bubbleOf(bubble, bubble))
  return listed.map((header) => {
    const id = asText(header.bubbleId) ?? ''
    return bubbleOf(header, Object.hasOwn(map, id) ? asObject(map[id]) : undefined)
  })
}

function bubbleOf(header: JsonObject, inline: JsonObject | undefined): ComposerBubble {
  return { id: asText(header.bubbleId) ?? '', ...known({ time: timeOf(header.createdAt), inline }) }
}

/** A time that is given as text or in milliseconds. */
export function timeOf(value: unknown): string | undefined {
  return timeOfMillis(value) ?? asText(value)
}

function latest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1)
}

/** The conversations that a user began, oldest first: without subagents, and without empty ones. */
export function rootsOf(composers: readonly Composer[]): Composer[] {
  const children = new Set(composers.flatMap((composer) => composer.children))
  return composers
    .filter(({ id, bubbles, parent }) => bubbles.length > 0 && parent === undefined && !children.has(id))
    .sort((a, b) => order(a, b))
}

function order(a: Composer, b: Composer): number {
  const [first, second] = [a.endedAt ?? a.startedAt ?? '', b.endedAt ?? b.startedAt ?? '']
  return first < second ? -1 : first > second ? 1 : 0
}

/** Collects conversations from their rows, in any order. */
export function collectComposers() {
  const heads = new Map<string, JsonObject>()
  const found = new Map<string, { data: JsonObject; at: SourcePosition }>()
  return {
    add(row: LogRow, at: SourcePosition): void {
      const value = asObject(parseShallow(rowText(row)))
      const headed = asText(row.row.composerId)
      if (value === undefined) return
      if (row.table === 'composerHeaders') {
        if (headed !== undefined) heads.set(headed, value)
      } else found.set((asText(row.row.key) ?? '').slice('composerData:'.length), { data: value, at })
    },
    composers(): Map<string, Composer> {
      return new Map(
        [...found].map(([id, { data, at }]) => [id, composerOf(id, data, heads.get(id) ?? {}, at)]),
      )
    },
  }
}
