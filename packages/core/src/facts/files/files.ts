import type { EventId } from '../../session/event.ts'
import { known } from '../../session/known.ts'
import type { Steps } from '../../session/pauses.ts'
import { isAbsolutePath, type ShellRun } from '../../shell/shell-runs.ts'
import { isDone, type ToolUse } from '../../tools/tool-uses.ts'
import type { FileFact } from '../facts.ts'
import { isSpilledOutput, type PathNormalizer } from '../log-path.ts'
import { fileTouches } from './file-touches.ts'
import {
  countsOf,
  countTouch,
  definedNames,
  type LineCounts,
  type LineRange,
  sectionsOf,
  type Touch,
  takeBack,
} from './touch.ts'

interface FileState {
  status: FileFact['status']
  /** True if it did not exist before the session. */
  born: boolean
  from?: string
  readonly counts: LineCounts
  first: EventId
  lastEdit?: EventId
  last: EventId
  touches: number
  order: number
  /** The lines that were read; undefined for the whole file. */
  lines: LineRange[] | undefined
}

interface FileHistory {
  readonly files: Map<string, FileState>
  /** All folders that ever contained a file. */
  readonly folders: Set<string>
  /** Position of the next new file in the order of first touch. */
  next: number
}

/** Extracts every file that the session touched, with its outcome, in order of first touch. */
export function* fileSteps(
  uses: readonly ToolUse[],
  runs: ReadonlyMap<ToolUse, ShellRun>,
  normalize: PathNormalizer,
): Steps<FileFact[]> {
  const history: FileHistory = { files: new Map(), folders: new Set(), next: 0 }
  for (const use of uses) {
    yield
    const run = runs.get(use)
    for (const touch of fileTouches(use, run)) applyTouch(history, touch, use.call.id, normalize)
    if (run !== undefined && commits(run))
      for (const { counts } of history.files.values()) counts.committed = counts.touches.length
  }
  const unreported = uses.some((use) => use.unreported) ? ({ unreported: true } as const) : {}
  return (
    [...history.files]
      .filter(([path, state]) => !(isTemporary(state) && isScratch(path)))
      // Showing a folder printed its list.
      .filter(
        ([path, state]) => !(state.status === 'read' && (history.folders.has(path) || isSpilledOutput(path))),
      )
      .sort(([, a], [, b]) => a.order - b.order)
      .map(([path, state]) => ({ ...toFact(path, state), ...unreported }))
  )
}

function commits({ use, commands }: ShellRun): boolean {
  return isDone(use) && commands.some(({ words }) => words[0] === 'git' && words[1] === 'commit')
}

/** `git checkout` of files or of everything reverts edits since the last commit. */
function applyRestore(history: FileHistory, { path, folder }: Touch, normalize: PathNormalizer): void {
  const named = normalize(path, folder)
  const all = [...history.files].filter(([file]) => !isAbsolutePath(file))
  const below = named === undefined ? all : filesBelow(history, named)
  const own = named === undefined ? undefined : (history.files.get(named) ?? onlyFileAt(history, named))
  for (const state of [...below.map(([, each]) => each), ...(own === undefined ? [] : [own])]) {
    // Git does not touch an untracked file.
    if (state.born && state.counts.committed === 0) continue
    takeBack(state.counts)
    if (state.counts.committed > 0 || state.lastEdit === undefined || state.status === 'renamed') continue
    state.status = 'read'
    delete state.lastEdit
  }
}

/** Git names files relative to a folder that the log may not have: returns the only file whose path ends like this. */
function onlyFileAt({ files }: FileHistory, path: string): FileState | undefined {
  if (isAbsolutePath(path) || !path.includes('/')) return undefined
  const [found, ...others] = [...files].filter(([file]) => file.endsWith(`/${path}`))
  return others.length > 0 ? undefined : found?.[1]
}

function applyTouch(history: FileHistory, given: Touch, event: EventId, normalize: PathNormalizer): void {
  const { files } = history
  const isSame = given.action === 'modify' && given.added === 0 && given.removed === 0
  const touch: Touch = isSame ? { ...given, action: 'read' } : given
  if (touch.action === 'restore') {
    applyRestore(history, touch, normalize)
    return
  }
  const path = normalize(touch.path, touch.folder)
  if (path === undefined) return
  if (touch.action === 'move' || touch.action === 'copy') {
    applyPlacing(history, touch, path, event, normalize)
    return
  }
  if (touch.action === 'delete') {
    if (isGenerated(path) && !files.has(path)) return
    const inside = filesBelow(history, path)
    for (const [, state] of inside) mark(state, 'deleted', event)
    const state = files.get(path)
    if (state !== undefined) mark(state, 'deleted', event)
    // A folder without known content is not a file, and scratch files of others do not matter.
    else if (touch.recursive !== true && inside.length === 0 && !isScratch(path)) {
      mark(stateAt(history, path, 'deleted', event), 'deleted', event)
    }
    return
  }
  const known = files.get(path)
  if (known === undefined && touch.onlyKnown) return
  const state = known ?? stateAt(history, path, 'read', event)
  if (known === undefined) state.born = ['create', 'write', 'ensure'].includes(touch.action)
  const isThere = touch.action === 'ensure' && known !== undefined && known.status !== 'deleted'
  mark(state, nextStatus(known, touch), event, touch.action !== 'read' && !isThere)
  if (touch.lines === undefined) state.lines = undefined
  else state.lines?.push(touch.lines)
  // Content that overwrote an existing file is not entirely new.
  const over = touch.action === 'write' && known !== undefined && known.status !== 'deleted'
  if (touch.action !== 'read' && touch.action !== 'ensure') countContent(state, touch, over)
}

function countContent(state: FileState, touch: Touch, over: boolean): void {
  const hasNumbers = touch.added !== undefined || touch.removed !== undefined
  // A new file whose lines the log does not have.
  if (!hasNumbers && !over && touch.action !== 'modify') return
  const isWhole = state.born && (touch.action === 'write' || touch.action === 'create')
  countTouch(state.counts, over && !isWhole ? { action: 'modify', path: touch.path } : touch, isWhole)
}

function nextStatus(known: FileState | undefined, { action, guessed }: Touch): FileFact['status'] {
  const status = known?.status
  if (known === undefined || status === undefined) {
    return action === 'read' ? 'read' : action === 'modify' ? 'modified' : 'created'
  }
  const back = known.born ? 'created' : 'modified'
  switch (action) {
    case 'read':
      // Only a tool that reads one file proves that it exists again.
      return status === 'deleted' && guessed !== true ? back : status
    case 'ensure':
      return status === 'deleted' ? back : status
    case 'create':
      // A copy of it was read earlier, and it was deleted in a way that the log does not show.
      return status === 'read' ? 'modified' : status === 'deleted' ? back : status
    default:
      return status === 'read' || status === 'deleted' ? back : status
  }
}

function applyPlacing(
  history: FileHistory,
  touch: Touch,
  path: string,
  event: EventId,
  normalize: PathNormalizer,
): void {
  const { files } = history
  const name = touch.path.split(/[\\/]/).findLast((part) => part !== '') ?? ''
  const place = normalize(touch.to ?? '', touch.folder)
  const into = touch.into === true || place === undefined || hasFilesBelow(history, place)
  const to = into ? normalize(`${touch.to}/${name}`, touch.folder) : place
  if (to === undefined || to === path) return
  if (touch.action === 'copy') {
    const source = files.get(path) ?? stateAt(history, path, 'read', event)
    mark(source, source.status, event, false)
    applyTouch(history, { action: 'write', path: touch.to ?? '' }, event, () => to)
    return
  }
  const inside = filesBelow(history, path)
  for (const [old] of inside) movePath(history, old, to + old.slice(path.length), event)
  if (files.has(path) || inside.length === 0) movePath(history, path, to, event)
  const moved = files.get(to)
  if (moved === undefined) return
  if (touch.added !== undefined || touch.removed !== undefined) countTouch(moved.counts, touch, false)
}

function movePath(history: FileHistory, path: string, to: string, event: EventId): void {
  const { files } = history
  const old = files.get(path)
  const target = files.get(to)
  files.delete(path)
  // Moved over an existing file, as scripts do with a scratch file: that file changed.
  if (target !== undefined && target.status !== 'deleted') {
    mark(target, target.status === 'read' ? 'modified' : target.status, event)
    return
  }
  files.delete(to)
  const state = old ?? stateAt(history, to, 'renamed', event)
  putFile(history, to, state)
  // A file from a scratch folder is new here.
  const born = state.born || isScratch(path)
  if (!isScratch(path)) state.from ??= path
  state.born = born
  if (state.from === to) delete state.from
  mark(state, born ? 'created' : state.from === undefined ? 'modified' : 'renamed', event)
}

function stateAt(history: FileHistory, path: string, status: FileFact['status'], event: EventId): FileState {
  const state: FileState = {
    status,
    born: false,
    counts: { touches: [], committed: 0 },
    first: event,
    last: event,
    touches: 0,
    order: history.next,
    lines: [],
  }
  history.next += 1
  putFile(history, path, state)
  return state
}

function mark(state: FileState, status: FileFact['status'], event: EventId, edit = true): void {
  state.status = status
  state.touches += 1
  state.last = event
  if (edit) state.lastEdit = event
}

function putFile({ files, folders }: FileHistory, path: string, state: FileState): void {
  files.set(path, state)
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const folder = path.slice(0, at)
    if (folders.has(folder)) break
    folders.add(folder)
  }
}

function filesBelow({ files, folders }: FileHistory, folder: string): [path: string, state: FileState][] {
  if (!folders.has(folder)) return []
  const prefix = `${folder}/`
  return [...files].filter(([path]) => path.startsWith(prefix))
}

function hasFilesBelow(history: FileHistory, folder: string): boolean {
  return filesBelow(history, folder).some(([, { status }]) => status !== 'deleted')
}

function isScratch(path: string): boolean {
  return /^(?:\/private)?\/(?:tmp|var\/(?:folders|tmp))\/|\/AppData\/Local\/Temp\//.test(path)
}

/** Whether a path is a by-product of tools, whose deletion changes nothing. */
function isGenerated(path: string): boolean {
  return /\.(?:out|log|tmp|prof|pid|pyc|cov|coverage)$/.test(path)
}

function toFact(path: string, state: FileState): FileFact {
  const { status, from, counts, first, lastEdit, last, touches, lines = [] } = state
  const { added, removed } = status === 'read' ? {} : countsOf(counts)
  const hasCode = status !== 'read' && status !== 'deleted' && !/\.(?:mdx?|txt|rst|json|ya?ml)$/i.test(path)
  const defines = hasCode ? definedNames(counts) : []
  const evidence = [...new Set([first, lastEdit ?? first, last])]
  return {
    path,
    status,
    ...known({ from: status === 'deleted' ? undefined : from, added, removed }),
    ...(status === 'read' && lines.length > 0 ? { sections: sectionsOf(lines) } : {}),
    ...(defines.length === 0 ? {} : { defines }),
    evidence,
    ...known({ lastEdit }),
    touches,
    ...(isTemporary(state) && { temporary: true as const }),
  }
}

/** Whether the session created and removed the file. */
function isTemporary({ status, born }: FileState): boolean {
  return status === 'deleted' && born
}
