import { constants } from 'node:fs'
import { access, lstat } from 'node:fs/promises'
import { errorCode } from '../../errors.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import { type FilePath, pathFields, placeOf } from '../file-path.ts'
import type { DumpLimits } from '../halt.ts'
import { gitOutput, splitNul } from './git-call.ts'

/** An untracked file that a patch leaves out, and why. */
export interface OmittedFile extends FilePath {
  readonly size?: number
  readonly reason: string
}

/** The untracked files in a patch, and those left out. */
export interface UntrackedFiles {
  readonly taken: readonly Buffer[]
  readonly omitted: readonly OmittedFile[]
}

/** Lists the untracked files of a work tree that are not ignored; `ignore` are folders, as paths from its root. */
export async function untrackedFiles(
  root: string,
  ignore: readonly string[],
  limits: Required<DumpLimits>,
  options: AbortableOptions & { readonly timeout?: number | undefined },
): Promise<UntrackedFiles> {
  const output = await gitOutput(root, ['ls-files', '--others', '--exclude-standard', '-z'], {
    ...options,
    maxOutput: 256 * 2 ** 20,
  })
  const folders = ignore.map((path) => Buffer.from(`${path}/`))
  const paths = splitNul(output).filter(
    (path) => !folders.some((folder) => path.subarray(0, folder.length).equals(folder)),
  )
  const taken: Buffer[] = []
  const omitted: OmittedFile[] = []
  let total = 0
  const looks = await inParallel(paths, 16, async (path) => await lookAt(root, path))
  for (const [index, look] of looks.entries()) {
    const path = paths[index] as Buffer
    const reason = look.reason ?? sizeFault(look.size, total, limits)
    if (reason !== undefined) omitted.push({ ...pathFields(path), size: look.size, reason })
    else {
      total += look.size
      taken.push(path)
    }
  }
  return { taken, omitted }
}

function sizeFault(size: number, total: number, limits: Required<DumpLimits>): string | undefined {
  if (size > limits.untrackedFile) return `it is larger than ${limits.untrackedFile} bytes`
  if (total + size > limits.untrackedTotal)
    return `all untracked files before it are ${total} bytes, of ${limits.untrackedTotal} at most`
  return undefined
}

async function lookAt(
  root: string,
  path: Buffer,
): Promise<{ readonly size: number; readonly reason?: string }> {
  // Git lists a repository within the work tree as a folder.
  if (path.at(-1) === 0x2f) return { size: 0, reason: 'it is a separate repository' }
  const place = placeOf(root, path)
  try {
    const found = await lstat(place)
    if (found.isFile()) await access(place, constants.R_OK)
    return { size: found.size }
  } catch (error) {
    const code = errorCode(error) ?? 'unknown'
    return { size: 0, reason: code === 'ENOENT' ? 'it is gone' : `it cannot be read: ${code}` }
  }
}
