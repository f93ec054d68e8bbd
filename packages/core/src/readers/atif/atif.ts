import { basename, dirname, join, relative } from 'node:path'
import { readRegularFile } from '../../regular-file.ts'
import { asList, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { createConversation } from '../messages/conversation.ts'
import type { LogHead, LogRecord, Reader, SessionWriter } from '../reader/reader.ts'
import { createAtifRun, endChild, referencedPaths } from './children.ts'
import { readTrajectory } from './steps.ts'

/**
 * Reads the Agent Trajectory Interchange Format, versions 1.0 to 1.7: one JSON document of steps, with subagents
 * embedded or in files next to it. `extra` holds what Tenfold's own export (`sessionToAtif`) knows beyond the format.
 * https://www.harborframework.com/docs/agents/trajectory-format
 */
export const atifReader: Reader = {
  name: 'atif',
  framing: 'document',
  marksFailedCommands: true,
  detect,
  sessionFiles,
  read,
}

function detect({ document }: LogHead): number {
  const trajectory = asObject(document)
  if (trajectory === undefined || !Array.isArray(trajectory.steps)) return 0
  if (/^ATIF-v\d/.test(asText(trajectory.schema_version) ?? '')) return 1
  const steps = trajectory.steps.slice(0, 20).map(asObject)
  const sources = steps.filter((step) => /^(?:user|system|agent)$/.test(asText(step?.source) ?? ''))
  return asObject(trajectory.agent) !== undefined && sources.length > steps.length / 2 ? 0.8 : 0
}

const maxFiles = 200
const maxBytes = 64 * 1024 * 1024

/** Trajectories of subagents, and continuations, that the log names by a path below its own folder. */
async function sessionFiles(path: string, head: LogHead): Promise<readonly string[]> {
  const folder = dirname(path)
  const found = new Set<string>()
  const queue: unknown[] = [head.document]
  for (let next = queue.shift(); next !== undefined && found.size < maxFiles; next = queue.shift()) {
    for (const name of referencedPaths(asObject(next))) {
      const file = join(folder, name)
      const place = relative(folder, file)
      if (place.startsWith('..') || file === path || found.has(file) || found.size >= maxFiles) continue
      const document = await readBeside(file)
      if (asObject(document) === undefined) continue
      found.add(file)
      queue.push(document)
    }
  }
  return [...found]
}

async function readBeside(file: string): Promise<unknown> {
  // Missing files are noted while reading.
  const bytes = await readRegularFile(file, { maxBytes }).catch(() => undefined)
  return bytes && parseJson(bytes.toString('utf8'))
}

async function read(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const run = createAtifRun(out)
  for await (const { value, file } of records) {
    const trajectory = asObject(value)
    run.place = { file, line: 1 }
    if (trajectory === undefined || !Array.isArray(trajectory.steps)) {
      out.event({ type: 'other', name: 'no-trajectory', raw: value })
      continue
    }
    if (file === 0) {
      describe(trajectory, out)
      readTrajectory(run, run.main, trajectory)
      continue
    }
    const name = basename(out.files[file] ?? '')
    const waiting = run.waiting.get(name) ?? []
    run.waiting.delete(name)
    const child = waiting.find(({ agent }) => agent !== 'main')
    const conversation = child === undefined ? run.main : createConversation(out, child.agent, run.main)
    readTrajectory(run, conversation, trajectory)
    if (child !== undefined) endChild(run, child)
    if (waiting.length === 0) out.note('unreferenced-file', `no step names ${name}`)
  }
  for (const [name] of run.waiting) out.note('missing-file', `${name} is named by the log, but was not read`)
}

function describe(trajectory: JsonObject, out: SessionWriter): void {
  const agent = asObject(trajectory.agent)
  const extra = asObject(agent?.extra)
  const own = asObject(trajectory.extra)
  const name = asText(agent?.name)
  out.meta({
    id: asText(trajectory.session_id) ?? asText(trajectory.trajectory_id),
    agentVersion: asText(agent?.version),
    title: asText(own?.title),
    cwd: asText(own?.cwd) ?? asText(asList(extra?.cwds)[0]) ?? asText(extra?.cwd),
    branch: asText(own?.branch) ?? onlyText(extra?.git_branches),
    commit: asText(own?.commit),
  })
  if (name !== undefined) out.agent({ id: 'main', type: name })
  readNotes(asText(trajectory.notes) ?? '', out)
  out.absorb('trajectory metadata')
}

/** Free text; in Tenfold's own export one note per line. */
function readNotes(text: string, out: SessionWriter): void {
  const lines = text.split('\n').filter((line) => line !== '')
  const notes = lines.map((line) => /^([a-z][a-z-]{1,40}): (.+)$/.exec(line))
  if (notes.every((note) => note !== null))
    for (const [, code = '', message = ''] of notes) out.note(code, message)
  else out.note('trajectory-notes', text.slice(0, 2000))
}

function onlyText(list: unknown): string | undefined {
  const [first, ...more] = asList(list)
  return more.length === 0 ? asText(first) : undefined
}
