import { known } from '../session/known.ts'

/** A file that differs from the last commit, its path from the root of the repository. */
export interface ChangedFile {
  /** Relative to the root of the repository. */
  readonly path: string
  /** Difference from the last commit. */
  readonly status: 'created' | 'modified' | 'deleted' | 'renamed' | 'conflict' | 'untracked'
}

/** The result of `git status --porcelain=v2 --branch -z`. */
export interface GitStatus {
  readonly branch?: string
  readonly head?: string
  readonly detached?: true
  readonly upstream?: string
  readonly ahead?: number
  readonly behind?: number
  /** The first `maxFiles` changed files; `changed` counts all of them. */
  readonly files: readonly ChangedFile[]
  readonly changed: number
}

/**
 * Parses the output of git status, https://git-scm.com/docs/git-status#_porcelain_format_version_2. Ignores an
 * incomplete last record.
 */
export function parseStatus(output: string, maxFiles: number): GitStatus {
  // Each record ends with NUL: text after the last NUL is an incomplete record.
  const records = output.split('\0').slice(0, -1)
  const headers = new Map<string, string>()
  const files: ChangedFile[] = []
  let changed = 0
  for (let at = 0; at < records.length; at++) {
    const record = records[at] ?? ''
    if (record.startsWith('# ')) {
      const space = record.indexOf(' ', 2)
      headers.set(record.slice(2, space), record.slice(space + 1))
      continue
    }
    const file = parseFile(record)
    // The previous path of a renamed file is a separate record.
    if (record.startsWith('2 ')) at++
    if (file === undefined) continue
    changed++
    if (files.length < maxFiles) files.push(file)
  }
  return { ...branchOf(headers), files, changed }
}

function branchOf(headers: ReadonlyMap<string, string>) {
  const head = headers.get('branch.oid')
  const branch = headers.get('branch.head')
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(headers.get('branch.ab') ?? '') ?? []
  return known<Omit<GitStatus, 'files' | 'changed'>>({
    branch: branch === '(detached)' ? undefined : branch,
    head: head === '(initial)' ? undefined : head,
    detached: branch === '(detached)' ? true : undefined,
    upstream: headers.get('branch.upstream'),
    ahead: ahead === undefined ? undefined : Number(ahead),
    behind: behind === undefined ? undefined : Number(behind),
  })
}

const fieldsBefore = new Map([
  ['1', 8],
  ['2', 9],
  ['u', 10],
])

function parseFile(record: string): ChangedFile | undefined {
  const kind = record[0] ?? ''
  if (kind === '?') return { path: record.slice(2), status: 'untracked' }
  let start = 0
  for (let field = fieldsBefore.get(kind) ?? 0; field > 0; field--) start = record.indexOf(' ', start) + 1
  if (start === 0) return undefined
  const path = record.slice(start)
  if (kind === 'u') return { path, status: 'conflict' }
  const states = record.slice(2, 4)
  if (kind === '2') return { path, status: 'renamed' }
  if (states.includes('D')) return { path, status: 'deleted' }
  return { path, status: states.includes('A') ? 'created' : 'modified' }
}
