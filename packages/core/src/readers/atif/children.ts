import { basename } from 'node:path'
import { appendTo } from '../../session/append-to.ts'
import type { SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createWriter, type Writer } from '../shared/writer.ts'

export type AtifChild = Readonly<{ agent: string; parent: Writer; callId: string | undefined }>

export type AtifRun = ReturnType<typeof createAtifRun>

export function createAtifRun(out: SessionWriter) {
  return {
    out,
    main: createWriter(out),
    place: { file: 0, line: 1 } as SourcePosition,
    embedded: new Map<string, json.Fields>(),
    agents: new Set(['main']),
    waiting: new Map<string, AtifChild[]>(),
    sidechain: undefined as Writer | undefined,
    metrics: new Map<string, string>(),
    responses: 0,
  }
}

export function keepEmbedded(run: AtifRun, trajectory: json.Fields): readonly string[] {
  const ids: string[] = []
  for (const child of json.list(trajectory.subagent_trajectories)) {
    if (!Array.isArray(json.at(child, 'steps'))) {
      run.out.event({ type: 'other', name: 'subagent_trajectory', raw: child })
      continue
    }
    const number = run.embedded.size + 1
    const id = json.text(child, 'trajectory_id') ?? json.text(child, 'session_id') ?? `subagent-${number}`
    const key = run.embedded.has(id) ? `${id}#${number}` : id
    run.embedded.set(key, json.fields(child))
    ids.push(key)
  }
  return ids
}

export function referencesIn(holder: unknown): readonly json.Fields[] {
  const refs = json.at(holder, 'subagent_trajectory_ref')
  return json.objects(Array.isArray(refs) ? refs : [refs])
}

export function startChild(
  run: AtifRun,
  parent: Writer,
  ref: json.Fields,
  callId: string | undefined,
  readChild: (writer: Writer, trajectory: json.Fields) => void,
): void {
  const { agents, embedded, out, waiting } = run
  const ids = json.texts([ref.trajectory_id, ref.session_id])
  // A second reference may report the end of a subagent.
  if (agents.has(ids[0] ?? '')) {
    out.absorb('subagent')
    return
  }
  const key = ids.find((id) => embedded.has(id)) ?? ''
  const trajectory = embedded.get(key)
  embedded.delete(key)
  const path = trajectory === undefined ? json.text(ref.trajectory_path) : undefined
  const name = path && basename(path)
  const wanted = ids[0] ?? name?.replace(/\.json$/, '') ?? `subagent-${agents.size}`
  let agent = wanted
  for (let times = 2; agents.has(agent); times++) agent = `${wanted}#${times}`
  agents.add(agent)
  const { extra, name: about } = json.fields(trajectory?.agent)
  // Tenfold's own export names the log's format as the agent, and has more in `extra`.
  const type = json.object(extra) === undefined ? json.text(about) : json.text(extra, 'type')
  const title = json.text(extra, 'title') ?? json.text(ref.extra, 'summary')
  // Copied history refers to subagents of another session.
  if (!parent.copied) out.agent({ id: agent, parent: parent.agent, callId, type, title })
  parent.write({ type: 'subagent_start', child: agent, callId })
  const child = { agent, parent, callId }
  if (trajectory !== undefined) {
    readChild(createWriter(out, agent, parent), trajectory)
    endChild(run, child)
  } else if (name !== undefined) appendTo(waiting, name, child)
  else if (!parent.copied)
    out.note('missing-subagent', `the trajectory of subagent ${agent} is not in the log`)
}

export function endChild(run: AtifRun, { agent, parent, callId }: AtifChild): void {
  const { time } = parent
  // The subagent ends with its trajectory, at a time that the parent's step does not report.
  parent.time = undefined
  parent.end(agent, callId)
  parent.time = time
  run.out.absorb('subagent')
}

export function referencedPaths(trajectory: unknown, depth = 0): string[] {
  if (depth > 20) return []
  const results = json.list(trajectory, 'steps').flatMap((step) => json.list(step, 'observation', 'results'))
  const named = results.flatMap(referencesIn).map((ref) => ref.trajectory_path)
  const children = json.list(trajectory, 'subagent_trajectories')
  const inner = children.flatMap((child) => referencedPaths(child, depth + 1))
  const paths = json.texts([...named, continuation(trajectory), ...inner])
  return paths.filter((path) => !/^[a-z]+:\/\//i.test(path))
}

export function continuation(trajectory: unknown): string | undefined {
  const ref = json.at(trajectory, 'continued_trajectory_ref')
  return json.text(ref) ?? json.text(ref, 'trajectory_path')
}
