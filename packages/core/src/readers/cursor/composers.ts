import type { SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { parseShallow } from '../log/parse-line.ts'
import type { LogRow, SessionListing } from '../reader/reader.ts'
import { columnText } from '../shared/framing.ts'
import { pathOfUri, sortedBy, timeOfMillis } from '../shared/values.ts'

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
    readonly inline: json.Fields | undefined
  }[]
}

function composerOf(id: string, data: json.Fields, head: json.Fields, at: SourcePosition): Composer {
  const bubbles = bubblesOf(data)
  const folders = [data, head].map(({ workspaceIdentifier }) =>
    pathOfUri(json.fields(workspaceIdentifier).uri),
  )
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
      // The editor chooses.
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

export function timeOf(value: unknown): string | undefined {
  return timeOfMillis(value) ?? json.text(value)
}

export function rootsOf(composers: readonly Composer[]): Composer[] {
  const children = new Set(composers.flatMap((composer) => composer.children))
  const own = composers.filter(
    ({ id, bubbles, parent }) => bubbles.length > 0 && parent === undefined && !children.has(id),
  )
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
