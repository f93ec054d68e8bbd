import type { SourcePosition } from '../../session/event.ts'
import {
  asList,
  asObject,
  asText,
  at,
  fieldsOf,
  type JsonObject,
  objectsIn,
  textAt,
  textsIn,
} from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { parseShallow } from '../log/parse-line.ts'
import type { LogRow, SessionListing } from '../reader/reader.ts'
import { pathOfUri } from '../shared/path-of-uri.ts'
import { timeOfMillis } from '../shared/time.ts'

export interface Composer extends SessionListing {
  readonly at: SourcePosition
  readonly model?: string
  readonly branch?: string
  readonly parent?: string
  readonly callId?: string
  readonly type?: string
  readonly children: readonly string[]
  readonly bubbles: readonly {
    readonly id: string
    readonly time: string | undefined
    /** The message itself, in databases that keep it here. */
    readonly inline: JsonObject | undefined
  }[]
}

function composerOf(id: string, data: JsonObject, head: JsonObject, at: SourcePosition): Composer {
  const bubbles = bubblesOf(data)
  const folders = [data, head].map(({ workspaceIdentifier }) => pathOfUri(fieldsOf(workspaceIdentifier).uri))
  const subagent = asObject(data.subagentInfo) ?? asObject(head.subagentInfo)
  const [repository] = [...objectsIn(data.trackedGitRepos), ...objectsIn(head.trackedGitRepos)]
  const model = textAt(data, 'modelConfig', 'modelName')
  const ends = [timeOfMillis(data.lastUpdatedAt), timeOfMillis(head.lastUpdatedAt), bubbles.at(-1)?.time]
  return {
    id,
    at,
    bubbles,
    children: textsIn(asList(data.subagentComposerIds)),
    revision: String(bubbles.length),
    ...known({
      title: asText(data.name) ?? asText(head.name),
      startedAt: timeOfMillis(data.createdAt) ?? timeOfMillis(head.createdAt),
      endedAt: textsIn(ends).sort().at(-1),
      cwd: folders.find((folder) => folder !== undefined),
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
function bubblesOf(data: JsonObject): Composer['bubbles'] {
  const listed = objectsIn(data.fullConversationHeadersOnly)
  const given = listed.length === 0 ? objectsIn(data.conversation) : listed
  return given.map((header) => {
    const id = asText(header.bubbleId) ?? ''
    const inline = listed.length === 0 ? header : asObject(at(data.conversationMap, id))
    return { id, time: timeOf(header.createdAt), inline }
  })
}

export function timeOf(value: unknown): string | undefined {
  return timeOfMillis(value) ?? asText(value)
}

/** The conversations that a user began, oldest first: without subagents, and without empty ones. */
export function rootsOf(composers: readonly Composer[]): Composer[] {
  const children = new Set(composers.flatMap((composer) => composer.children))
  const timeOfLast = ({ startedAt, endedAt }: Composer): string => endedAt ?? startedAt ?? ''
  return composers
    .filter(({ id, bubbles, parent }) => bubbles.length > 0 && parent === undefined && !children.has(id))
    .sort((a, b) => (timeOfLast(a) < timeOfLast(b) ? -1 : timeOfLast(a) > timeOfLast(b) ? 1 : 0))
}

/** Collects conversations from their rows, in any order. */
export function collectComposers() {
  const heads = new Map<string, JsonObject>()
  const found = new Map<string, { data: JsonObject; at: SourcePosition }>()
  return {
    add(row: LogRow, at: SourcePosition): void {
      const value = asObject(parseShallow(rowText(row)))
      if (value === undefined) return
      if (row.table === 'composerHeaders') heads.set(asText(row.row.composerId) ?? '', value)
      else found.set((asText(row.row.key) ?? '').slice('composerData:'.length), { data: value, at })
    },
    composers: (): ReadonlyMap<string, Composer> =>
      new Map([...found].map(([id, { data, at }]) => [id, composerOf(id, data, heads.get(id) ?? {}, at)])),
  }
}

/** The text in the column `value`, which SQLite may hold as bytes. */
export function rowText({ row: { value } }: LogRow): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : (asText(value) ?? '')
}
