import { resolve } from 'node:path'
import { messageOf } from '../../errors.ts'
import { type GitReading, readGit } from '../../git/read-git.ts'
import type { RunGitOptions } from '../../git/run-git.ts'
import { known } from '../../session/known.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { DumpNote, MissingPart } from '../dump-schema.ts'
import { type DumpHaltOptions, defaultLimits, type Halt } from '../halt.ts'
import { collectConversation, type HaltedConversation } from './collect-conversation.ts'
import {
  type CollectFilesOptions,
  type FileContent,
  filesOfDiff,
  filesOfFolder,
  filesOfGlobs,
  type ListedFiles,
  readContent,
} from './collect-files.ts'
import { collectState, type StateSnapshot } from './collect-state.ts'
import { type DumpedEnvironment, environmentValues } from './environment-values.ts'
import { patchSections } from './patch-sections.ts'
import { type WorktreeDiff, worktreeDiff } from './worktree-diff.ts'

/** Everything for a dump, secrets included; whatever was not available is missing. */
export interface CollectedHalt {
  readonly cwd: string
  readonly state?: StateSnapshot
  readonly conversation?: HaltedConversation
  readonly environment: DumpedEnvironment
  readonly git?: GitReading
  readonly files?: CollectedFiles
}

/** The files of a sandbox. */
export interface CollectedFiles {
  readonly root: string
  readonly diff?: WorktreeDiff
  /** Sections of the patch, one per file. */
  readonly sections: readonly Buffer[]
  /** By number of a section: a file that git treats as binary. */
  readonly binaries: ReadonlyMap<number, FileContent>
  readonly listed: ListedFiles
  readonly snapshots: readonly FileContent[]
}

/** What failed or was not available; stored in the dump. */
export interface DumpLosses {
  missing: MissingPart[]
  readonly notes: DumpNote[]
}

/** Collects one part after the other; the failure of one costs only that one. Throws only if `signal` is aborted. */
export async function collectHalt(
  halt: Halt,
  options: DumpHaltOptions,
  losses: DumpLosses,
): Promise<CollectedHalt> {
  const { signal, stateTimeout = 10_000, env = process.env, envNames = [] } = options
  const { agent, sandboxRoot } = halt
  const note = (added: DumpNote): void => {
    losses.notes.push(added)
  }
  const attempt = attempts(losses, signal)
  const sandbox = sandboxRoot === undefined ? undefined : resolve(sandboxRoot)
  const git =
    sandbox === undefined
      ? undefined
      : await readGit(sandbox, {
          ignore: options.ignore,
          signal,
          timeout: options.gitTimeout,
          filters: options.gitFilters,
        })
  const [state, conversation, files] = await Promise.all([
    attempt(dumpPaths.state, 'no readState was given', () => collectState(halt, stateTimeout, note, signal)),
    attempt(dumpPaths.conversation, 'no conversation was given', () =>
      collectConversation(agent?.conversation, note, options),
    ),
    attempt(dumpPaths.files, 'no sandboxRoot was given', () => collectFiles(sandbox, git, options, losses)),
  ])
  return {
    cwd: resolve(agent?.cwd ?? sandbox ?? '.'),
    environment: environmentValues(env, envNames),
    ...known({ state, conversation, git, files }),
  }
}

/**
 * Returns a function that runs one step: if it fails or returns nothing, its part is missing and the reason reported.
 */
function attempts({ missing }: DumpLosses, signal: AbortSignal | undefined) {
  return async <T>(
    path: string,
    absent: string,
    run: () => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    try {
      const found = await run()
      if (found === undefined) missing.push({ path, code: 'not-given', reason: absent })
      return found
    } catch (error) {
      signal?.throwIfAborted()
      missing.push({ path, code: 'failed', reason: messageOf(error) })
      return undefined
    }
  }
}

async function collectFiles(
  sandbox: string | undefined,
  git: GitReading | undefined,
  options: DumpHaltOptions,
  losses: DumpLosses,
): Promise<CollectedFiles | undefined> {
  const { ignore = [], snapshots: globs = [], gitTimeout = 60_000, signal, gitFilters } = options
  const { missing, notes } = losses
  if (sandbox === undefined || git === undefined) {
    missing.push({ path: dumpPaths.patch, code: 'not-given', reason: 'no sandboxRoot was given' })
    return undefined
  }
  const note = (added: DumpNote): void => {
    notes.push(added)
  }
  const common: CollectFilesOptions = {
    limits: { ...defaultLimits, ...known(options.limits ?? {}) },
    ignore,
    note,
    signal,
  }
  const diff = await diffOf(sandbox, git, { ...common, timeout: gitTimeout, filters: gitFilters }, missing)
  const root = diff?.root ?? sandbox
  const attempt = attempts(losses, signal)
  const listed = diff === undefined ? await filesOfFolder(root, common) : await filesOfDiff(diff, common)
  const snapshots = await attempt(dumpPaths.snapshots, '', () => filesOfGlobs(root, sandbox, globs, common))
  const sections = diff === undefined ? [] : patchSections(diff.patch)
  return {
    root,
    ...known({ diff }),
    sections,
    binaries: diff === undefined ? new Map() : await binaryFiles(diff, sections, common.limits.snapshotFile),
    listed,
    snapshots: snapshots ?? [],
  }
}

/** The diff of a sandbox; if there is none, its part is missing and everything else continues. */
async function diffOf(
  sandbox: string,
  git: GitReading,
  options: CollectFilesOptions & Pick<RunGitOptions, 'filters'> & { readonly timeout: number },
  missing: MissingPart[],
): Promise<WorktreeDiff | undefined> {
  const lost = (code: MissingPart['code'], reason: string): undefined => {
    missing.push({ path: dumpPaths.patch, code, reason })
  }
  if (git.state === 'no-repository') return lost('none', 'the sandbox is in no Git repository')
  if (git.state === 'no-git') return lost('failed', 'git is not installed')
  if (git.state === 'failed') return lost('failed', git.message)
  if (git.root === undefined) return lost('none', 'the sandbox is a bare repository: it has no work tree')
  try {
    return await worktreeDiff(sandbox, options)
  } catch (error) {
    options.signal?.throwIfAborted()
    const reason = messageOf(error)
    return lost(/printed more than/.test(reason) ? 'too-large' : 'failed', reason)
  }
}

/** Attributes can make git treat a text as binary. The secrets of such files are compressed in the patch. */
async function binaryFiles(
  diff: WorktreeDiff,
  sections: readonly Buffer[],
  maxBytes: number,
): Promise<CollectedFiles['binaries']> {
  const files = new Map<number, FileContent>()
  const marker = Buffer.from('\nGIT binary patch\n')
  const changes = changesBySection(diff)
  for (const [index, section] of sections.entries()) {
    const change = changes[index]
    if (change === undefined || change.status === 'deleted' || !section.subarray(0, 20_000).includes(marker))
      continue
    const file = await readContent(diff.root, change.path, maxBytes, () => {})
    if (file !== undefined) files.set(index, file)
  }
  return files
}

/** Returns the change that each section of the patch is about; one change may have two. */
export function changesBySection({
  changes,
}: Pick<WorktreeDiff, 'changes'>): readonly WorktreeDiff['changes'][number][] {
  return changes.flatMap((change) => Array.from({ length: change.sections }, () => change))
}
