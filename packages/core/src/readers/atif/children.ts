import { basename } from 'node:path'
import { appendTo } from '../../session/append-to.ts'
import type { SourcePosition } from '../../session/event.ts'
import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type Conversation, createConversation } from '../messages/conversation.ts'
import type { SessionWriter } from '../reader/reader.ts'

/** A subagent that was started. */
export interface AtifChild {
  readonly agent: string
  readonly parent: Conversation
  readonly callId: string | undefined
}

export type AtifRun = ReturnType<typeof createAtifRun>

export function createAtifRun(out: SessionWriter) {
  const main = createConversation(out)
  return {
    out,
    main,
    place: { file: 0, line: 1 } as SourcePosition,
    /** Embedded trajectories that no step has named yet, by id. */
    embedded: new Map<string, JsonObject>(),
    agents: new Set(['main']),
    /** Children that steps expect in files still to come, by file name. */
    waiting: new Map<string, AtifChild[]>(),
    /** Steps of subagents that are among those of their parent. */
    sidechain: undefined as Conversation | undefined,
    metrics: new Map<string, string>(),
    responses: 0,
  }
}

/** Remembers the trajectories embedded in one, and returns their ids: `trajectory_id`, in some logs `session_id`. */
export function keepEmbedded(run: AtifRun, trajectory: JsonObject): readonly string[] {
  const ids: string[] = []
  for (const value of asList(trajectory.subagent_trajectories)) {
    const child = asObject(value)
    if (child === undefined || !Array.isArray(child.steps)) {
      run.out.event({ type: 'other', name: 'subagent_trajectory', raw: value })
      continue
    }
    const id = idOf(child) ?? `subagent-${run.embedded.size + 1}`
    const key = run.embedded.has(id) ? `${id}#${run.embedded.size + 1}` : id
    run.embedded.set(key, child)
    ids.push(key)
  }
  return ids
}

/** The subagents that a result or a step names. */
export function referencesIn(holder: JsonObject): readonly JsonObject[] {
  const { subagent_trajectory_ref: refs } = holder
  return (Array.isArray(refs) ? refs : [refs]).map(asObject).filter((ref) => ref !== undefined)
}

/** Starts a subagent and reads its trajectory with `readChild` if it is embedded. */
export function startChild(
  run: AtifRun,
  parent: Conversation,
  ref: JsonObject,
  callId: string | undefined,
  readChild: (conversation: Conversation, trajectory: JsonObject) => void,
): void {
  const ids = [asText(ref.trajectory_id), asText(ref.session_id)].filter((id) => id !== undefined)
  // A second reference may report the end of a subagent.
  if (ids[0] !== undefined && run.agents.has(ids[0])) {
    run.out.absorb('subagent')
    return
  }
  const key = ids.find((id) => run.embedded.has(id))
  const trajectory = key === undefined ? undefined : run.embedded.get(key)
  if (key !== undefined) run.embedded.delete(key)
  const path = trajectory === undefined ? asText(ref.trajectory_path) : undefined
  const name = path === undefined ? undefined : basename(path)
  const agent = uniqueAgent(run, ids[0] ?? name?.replace(/\.json$/, '') ?? `subagent-${run.agents.size}`)
  const about = asObject(trajectory?.agent)
  const extra = asObject(about?.extra)
  // Copied history refers to subagents of another session.
  if (!parent.copied)
    run.out.agent({
      id: agent,
      parent: parent.agent,
      callId,
      // Tenfold's own export names the format of the log as the agent, and gives more in `extra`.
      type: extra === undefined ? asText(about?.name) : asText(extra.type),
      title: asText(extra?.title) ?? asText(asObject(ref.extra)?.summary),
    })
  parent.write({ type: 'subagent_start', child: agent, callId })
  const child = { agent, parent, callId }
  if (trajectory !== undefined) {
    readChild(createConversation(run.out, agent, parent), trajectory)
    endChild(run, child)
  } else if (name !== undefined) appendTo(run.waiting, name, child)
  else if (!parent.copied)
    run.out.note('missing-subagent', `the trajectory of subagent ${agent} is not in the log`)
}

export function endChild(run: AtifRun, { agent, parent, callId }: AtifChild): void {
  const { time } = parent
  // The subagent ends where its trajectory ends, at a time that the parent's step does not report.
  parent.time = undefined
  parent.end(agent, callId)
  parent.time = time
  run.out.absorb('subagent')
}

/** Embedded trajectories that no step names. */
export function readUnnamed(
  run: AtifRun,
  parent: Conversation,
  ids: readonly string[],
  readChild: (conversation: Conversation, trajectory: JsonObject) => void,
): void {
  for (const id of ids) {
    if (!run.embedded.has(id)) continue
    run.out.note('unreferenced-subagent', `no step names subagent ${id}`)
    startChild(run, parent, { trajectory_id: id }, undefined, readChild)
  }
}

/** Paths of the files that a trajectory names, and those embedded in it. */
export function referencedPaths(trajectory: JsonObject | undefined, depth = 0): string[] {
  if (trajectory === undefined || depth > 20) return []
  const steps = asList(trajectory.steps).flatMap((value) => {
    const results = asList(asObject(asObject(value)?.observation)?.results)
    return results.flatMap((result) => {
      const holder = asObject(result)
      return holder === undefined ? [] : referencesIn(holder).map((ref) => asText(ref.trajectory_path))
    })
  })
  const inner = asList(trajectory.subagent_trajectories).flatMap((child) =>
    referencedPaths(asObject(child), depth + 1),
  )
  const paths = [...steps, continuation(trajectory), ...inner]
  return paths.filter((path) => path !== undefined).filter((path) => !/^[a-z]+:\/\//i.test(path))
}

/** Path of the file that continues a trajectory. */
export function continuation(trajectory: JsonObject): string | undefined {
  const ref = trajectory.continued_trajectory_ref
  return asText(ref) ?? asText(asObject(ref)?.trajectory_path)
}

function idOf(trajectory: JsonObject): string | undefined {
  return asText(trajectory.trajectory_id) ?? asText(trajectory.session_id)
}

function uniqueAgent(run: AtifRun, id: string): string {
  let unique = id
  for (let times = 2; run.agents.has(unique); times++) unique = `${id}#${times}`
  run.agents.add(unique)
  return unique
}
