import { basename, dirname, join, relative } from 'node:path'
import { readRegularFile } from '../../regular-file.ts'
import * as json from '../../session/json.ts'
import type { LogRecord, Reader, SessionWriter } from '../reader/reader.ts'
import { createWriter } from '../shared/writer.ts'
import { createAtifRun, endChild, referencedPaths } from './children.ts'
import { readTrajectory } from './steps.ts'

/**
 * Reads the Agent Trajectory Interchange Format, versions 1.0 to 1.7: one JSON document of steps, with subagents
 * embedded or in files next to it. `extra` holds what Tenfold's own export (`sessionToAtif`) adds to the format.
 * https://www.harborframework.com/docs/agents/trajectory-format
 */
export const atifReader: Reader = {
  name: 'atif',
  framing: 'document',
  marksFailedCommands: true,
  detect({ document }) {
    const { agent, schema_version, steps } = json.fields(document)
    if (!Array.isArray(steps)) return 0
    if (/^ATIF-v\d/.test(json.text(schema_version) ?? '')) return 1
    const first = steps.slice(0, 20)
    const known = first.filter((step) => /^(?:user|system|agent)$/.test(json.text(step, 'source') ?? ''))
    return json.object(agent) !== undefined && known.length > first.length / 2 ? 0.8 : 0
  },
  async sessionFiles(path, head) {
    const folder = dirname(path)
    const found = new Set<string>()
    const queue: unknown[] = [head.document]
    for (let next = queue.shift(); next !== undefined && found.size < maxFiles; next = queue.shift()) {
      for (const name of referencedPaths(next)) {
        const file = join(folder, name)
        const place = relative(folder, file)
        if (place.startsWith('..') || file === path || found.has(file) || found.size >= maxFiles) continue
        // Missing files are noted while reading.
        const bytes = await readRegularFile(file, { maxBytes }).catch(() => undefined)
        const document = bytes && json.parse(bytes.toString('utf8'))
        if (json.object(document) === undefined) continue
        found.add(file)
        queue.push(document)
      }
    }
    return [...found]
  },
  read,
}

const maxFiles = 200
const maxBytes = 64 * 1024 * 1024

async function read(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const run = createAtifRun(out)
  for await (const { value, file } of records) {
    const trajectory = json.object(value)
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
    const writer = child === undefined ? run.main : createWriter(out, child.agent, run.main)
    readTrajectory(run, writer, trajectory)
    if (child !== undefined) endChild(run, child)
    if (waiting.length === 0) out.note('unreferenced-file', `no step names ${name}`)
  }
  for (const [name] of run.waiting) out.note('missing-file', `${name} is named by the log, but was not read`)
}

function describe(trajectory: json.Fields, out: SessionWriter): void {
  const { agent, notes, session_id, trajectory_id } = trajectory
  const own = json.fields(trajectory.extra)
  const { cwd, cwds, git_branches } = json.fields(agent, 'extra')
  const [branch, ...others] = json.list(git_branches)
  const name = json.text(agent, 'name')
  out.meta({
    id: json.text(session_id) ?? json.text(trajectory_id),
    agentVersion: json.text(agent, 'version'),
    title: json.text(own.title),
    cwd: json.text(own.cwd) ?? json.text(json.list(cwds)[0]) ?? json.text(cwd),
    branch: json.text(own.branch) ?? (others.length === 0 ? json.text(branch) : undefined),
    commit: json.text(own.commit),
  })
  if (name !== undefined) out.agent({ id: 'main', type: name })
  // Free text; in Tenfold's own export, one note per line.
  const lines = (json.text(notes) ?? '').split('\n').filter((line) => line !== '')
  const codes = lines.map((line) => /^([a-z][a-z-]{1,40}): (.+)$/.exec(line))
  if (codes.includes(null)) out.note('trajectory-notes', String(notes).slice(0, 2000))
  else
    for (const [, code = '', message = ''] of codes.filter((each) => each !== null)) out.note(code, message)
  out.absorb('trajectory metadata')
}
