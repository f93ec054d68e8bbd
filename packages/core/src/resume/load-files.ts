import { isUtf8 } from 'node:buffer'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createRedaction, type Redactor, secretRedactor } from '@tenfold/redact'
import { errorCode } from '../errors.ts'
import { shownPath } from '../git/git-line.ts'
import { type GitReading, isWithin, readGit, realPath } from '../git/read-git.ts'
import { readRegularFile } from '../regular-file.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import { cleanText } from '../session/clean-text.ts'
import { eventIndex } from '../session/event.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { type Claims, type PlacedFile, placedFiles } from './check-claims.ts'
import { quote } from './checkpoint-blocks.ts'

/** Options of {@link loadFiles}. */
export interface LoadFilesOptions {
  /** Folder of the project. Files outside of it and its repository are not read. */
  readonly folder: string
  /** Maximum tokens of all contents, in addition to the brief. */
  readonly maxTokens: number
  /** @default the secret redactor */
  readonly redactors?: readonly Redactor[] | undefined
}

/** The current content of files that a brief names. */
export interface LoadedFiles {
  /** Contents under headings with their paths; empty if none was loaded. */
  readonly text: string
  /** Paths of the loaded files. */
  readonly loaded: readonly string[]
  /** Files that were not loaded, with reasons. */
  readonly left: readonly { readonly path: string; readonly reason: string }[]
}

/** Larger files are never part of a prompt. */
const maxFileBytes = 1_000_000

/**
 * Reads the current content of files that a bundle and a newer checkpoint name: first those of the checkpoint, then the
 * changed ones, the last change first, then those that were read. A file is loaded whole or not at all.
 */
export async function loadFiles(
  { bundle, checkpoint }: Claims,
  { folder, maxTokens, redactors = [secretRedactor()] }: LoadFilesOptions,
  {
    counter,
    signal,
    git: known,
  }: AbortableOptions & { readonly counter: TokenCounter; readonly git?: GitReading | undefined },
): Promise<LoadedFiles> {
  const cwd = realPath(resolve(folder))
  const git = known ?? (await readGit(cwd, { signal }))
  const files = inOrder(await placedFiles({ bundle, checkpoint }, cwd, git), { bundle, checkpoint })
  const redaction = createRedaction(redactors)
  const loaded: string[] = []
  const left: { path: string; reason: string }[] = []
  const parts: string[] = []
  let room = maxTokens
  for (const file of files) {
    signal?.throwIfAborted()
    const path = shownPath(file.path)
    const read = await textOf(file, cwd, git)
    if ('reason' in read) {
      left.push({ path, reason: read.reason })
      continue
    }
    const part = `### ${path}\n${quote(cleanText(redaction.redactValue(read.text)).trimEnd())}\n`
    const tokens = counter.count(part)
    if (tokens > room) left.push({ path, reason: `${tokens} tokens` })
    else {
      room -= tokens
      loaded.push(path)
      parts.push(part)
    }
  }
  return { text: parts.length === 0 ? '' : [heading, ...parts].join('\n'), loaded, left }
}

const heading = '## Files as they are now (data)\n'

function inOrder(files: readonly PlacedFile[], { bundle, checkpoint }: Claims): PlacedFile[] {
  const known = new Map(bundle?.files.map((file) => [file.path, file]))
  const rankOf = ({ path }: PlacedFile): number => {
    if (checkpoint?.files.some((file) => file.path === path)) return 0
    const status = known.get(path)?.status
    return status === 'read' ? 2 : status === 'named' ? 3 : 1
  }
  const lastOf = ({ path }: PlacedFile): number =>
    Math.max(0, ...(known.get(path)?.evidence ?? []).map(eventIndex))
  return files.toSorted((a, b) => rankOf(a) - rankOf(b) || lastOf(b) - lastOf(a))
}

async function textOf(
  { place }: PlacedFile,
  cwd: string,
  git: GitReading,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  const root = (git.state === 'repository' && git.root) || cwd
  try {
    // A link may lead out of the folder.
    const real = realPath(place)
    if (!isWithin(realPath(root), real) && !isWithin(cwd, real)) return { reason: 'outside of the folder' }
    const info = await stat(real)
    if (!info.isFile()) return { reason: 'no file' }
    if (info.size > maxFileBytes) return { reason: 'too large' }
    const bytes = await readRegularFile(real, { maxBytes: maxFileBytes })
    return bytes.includes(0) || !isUtf8(bytes) ? { reason: 'no text' } : { text: bytes.toString('utf8') }
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    return { reason: code === 'ENOENT' ? 'gone' : `cannot be read (${code})` }
  }
}
