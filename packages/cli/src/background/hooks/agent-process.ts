import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { type LockOwner, ownerAt } from '@tenfold/core/internal/locks'
import { unlessRefused } from '../../terminal/thrown.ts'

const wrapper = /^-?(?:(?:ba|da|z|k|fi|a|tc)?sh|busybox|env|timeout|npx|npm\b.*)$/

/** Agents start hooks through a shell; some go through a second shell or npx. */
const maxSteps = 8

let own: LockOwner | undefined | false = false

/** The agent that runs this hook: the nearest ancestor process that is not a shell. Undefined if it cannot be seen. */
export function agentProcess(): LockOwner | undefined {
  if (own === false) own = findAgent()
  return own
}

function findAgent(): LockOwner | undefined {
  let pid = process.ppid
  for (let step = 0; step < maxSteps && pid > 1; step++) {
    const found = processAt(pid)
    if (found === undefined) return undefined
    if (!wrapper.test(found.name)) return ownerAt(pid)
    pid = found.parent
  }
  return undefined
}

/** Name and parent of a process. Undefined on Windows, where finding them takes a second. */
function processAt(pid: number): { readonly name: string; readonly parent: number } | undefined {
  const text = unlessRefused(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), undefined)
  // The name is in parentheses and may itself contain spaces and parentheses.
  const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(text ?? '') ?? []
  if (parent !== undefined) return { name, parent: Number(parent) }
  if (process.platform === 'linux' || process.platform === 'win32') return undefined
  const listed = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], {
    encoding: 'utf8',
    timeout: 1_000,
  })
  const [, above, path = ''] = /^\s*(\d+)\s+(.*\S)\s*$/.exec(listed.stdout ?? '') ?? []
  return above === undefined ? undefined : { name: basename(path), parent: Number(above) }
}

/** The paths that another process of this user has open for writing. Empty on systems without /proc. */
export function openToWrite(paths: readonly string[]): Set<string> {
  const wanted = new Map(paths.map((path) => [unlessRefused(() => realpathSync(path), path), path]))
  const open = new Set<string>()
  if (wanted.size === 0) return open
  for (const pid of unlessRefused(() => readdirSync('/proc'), [])) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    const folder = `/proc/${pid}/fd`
    for (const fd of unlessRefused(() => readdirSync(folder), [])) {
      const path = wanted.get(unlessRefused(() => readlinkSync(`${folder}/${fd}`), ''))
      if (path === undefined) continue
      const info = unlessRefused(() => readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'), '')
      // O_WRONLY is 1 and O_RDWR is 2 in the last octal digit.
      if (/^flags:\s+\d*[12]$/m.test(info)) open.add(path)
    }
  }
  return open
}
