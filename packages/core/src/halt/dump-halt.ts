import { createRedaction, type Redaction, secretRedactor, valueRedactor } from '@tenfold/redact'
import { messageOf } from '../errors.ts'
import type { GitReading } from '../git/read-git.ts'
import { learningOnly } from '../redact/redact-session.ts'
import { cleanLine } from '../session/clean-text.ts'
import { known } from '../session/known.ts'
import { foldersToIgnore } from '../storage/folders-to-ignore.ts'
import { encodeJson } from '../storage/stored-json.ts'
import { plainJson } from './collect/collect-conversation.ts'
import { type CollectedHalt, collectHalt, environmentSecrets } from './collect/collect-halt.ts'
import { dumpPaths, keysOfDump, maxDumpBytes, newHaltId, packDump } from './dump-keys.ts'
import type { DumpMetadata, DumpNote, DumpPart, MissingPart } from './dump-schema.ts'
import type { DumpLosses } from './files/collect-files.ts'
import { type MakePart, makeFileParts } from './files/make-file-parts.ts'
import type { DumpHaltOptions, Halt } from './halt.ts'

/** A written dump. `parts` includes `metadata.json`. */
export interface WrittenDump extends Pick<DumpMetadata, 'haltId' | 'state' | 'parts' | 'missing' | 'notes'> {
  /** Key of the archive. */
  readonly key: string
  /** Number of distinct secrets that were replaced. */
  readonly secrets: number
  /** Size of the archive. */
  readonly storedBytes: number
}

export type DumpedHalt = WrittenDump | { readonly state: 'disabled' }

/**
 * Writes the remains of a halted run that no state store holds as one `.tar.gz`: conversation, last execution, changed
 * files, environment, and a snapshot of the state. A failure affects only its own part. There is no dump until the
 * archive is stored. Throws {@link StorageError}, or the reason of `signal`.
 */
export async function dumpHalt(halt: Halt, options: DumpHaltOptions): Promise<DumpedHalt> {
  return options.enabled === false ? { state: 'disabled' } : await writeDump(halt, options)
}

export type PartsMaker = (redaction: Redaction, make: MakePart) => Promise<readonly DumpNote[]>

/** Writes a dump. `given` makes the files of a dump by another tool, whose folder was `sandboxRoot`. */
export async function writeDump(
  halt: Halt,
  options: DumpHaltOptions,
  given?: { readonly sandboxRoot: string | undefined; readonly makeFiles: PartsMaker },
): Promise<WrittenDump> {
  const { storage, env = process.env, createdAt = new Date(), signal } = options
  const secretsOfEnv = () => [secretRedactor(), valueRedactor(environmentSecrets(env))]
  const redaction = createRedaction(options.redactors ?? secretsOfEnv())
  const losses: DumpLosses = { missing: [], notes: [...(options.notes ?? [])] }
  const head = headOf({ ...halt, ...given }, losses)
  const ignore = foldersToIgnore(options.ignore, storage)
  const collected = await collectHalt(halt, { ...options, ignore }, losses)
  const { files } = collected
  const makeFiles: PartsMaker =
    given?.makeFiles ?? (async (current, make) => (files ? await makeFileParts(files, current, make) : []))
  const made = await settled(async (current) => {
    current.learnValue(head)
    return await makeParts(collected, makeFiles, current)
  }, redaction)
  const about = {
    ...redaction.redactValue({ ...head, ...known({ git: gitFields(collected.git) }) }),
    createdAt: createdAt.toISOString(),
  }
  const missing = [...losses.missing, ...made.missing]
    .filter(({ path }) => !made.parts.has(path))
    .map((part) => ({ ...part, reason: cleanLine(redaction.redact(part.reason)) }))
  const parts = [...made.parts.values()].map(({ bytes: _, ...part }) => part)
  const metadata: DumpMetadata = {
    schemaVersion: 1,
    haltId: newHaltId(createdAt, about.taskId),
    ...about,
    state: missing.some(({ code }) => code === 'failed' || code === 'too-large') ? 'partial' : 'complete',
    redaction: { secrets: redaction.count, types: redaction.types() },
    ...{ parts, missing, notes: [...redaction.redactValue(losses.notes), ...made.notes] },
  }
  const { haltId, state, notes } = metadata
  const bytes = encodeJson(metadata)
  const contents = [...made.parts].map(([path, part]) => [path, part.bytes] as const)
  const archive = await packDump(haltId, new Map([[dumpPaths.metadata, bytes], ...contents]))
  signal?.throwIfAborted()
  const keys = keysOfDump(haltId)
  await storage.put(keys.archive, archive)
  // If this put is interrupted, listings read the metadata from the archive.
  await storage.put(keys.metadata, bytes)
  return {
    ...{ state, haltId, missing, notes, key: keys.archive, secrets: redaction.count },
    parts: [{ path: dumpPaths.metadata, size: bytes.byteLength }, ...parts],
    storedBytes: archive.byteLength,
  }
}

/** Returns the parts in the order of their paths, the missing parts, and notes. */
async function makeParts({ parts: sources }: CollectedHalt, makeFiles: PartsMaker, redaction: Redaction) {
  const parts: (DumpPart & { readonly bytes: Uint8Array })[] = []
  const missing: MissingPart[] = []
  let total = 0
  const make: MakePart = async (path, content, marks = 0) => {
    const before = redaction.hits
    try {
      const bytes = await content()
      const { byteLength: size } = bytes
      if (total + size > maxDumpBytes) {
        const reason = `all parts would be more than ${maxDumpBytes} bytes`
        missing.push({ path, code: 'too-large', reason })
        return
      }
      total += size
      const redacted = marks + redaction.hits - before
      parts.push({ path, size, ...(redacted > 0 && { redacted }), bytes })
    } catch (error) {
      missing.push({ path, code: 'failed', reason: messageOf(error) })
    }
  }
  for (const [path, bytes] of sources) await make(path, () => bytes(redaction))
  const notes = await makeFiles(redaction, make)
  const sorted = parts.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { parts: new Map(sorted.map((part) => [part.path, part])), missing, notes }
}

/**
 * Makes everything once to learn the secrets, since each may occur in any other text, and again while new spellings are
 * found.
 */
async function settled<T>(make: (redaction: Redaction) => Promise<T>, redaction: Redaction): Promise<T> {
  const unchanged = await make(learningOnly(redaction))
  if (redaction.isClean) return unchanged
  for (let round = 0; ; round++) {
    const before = redaction.learned
    const made = await make(redaction)
    if (redaction.learned === before || round === 3) return made
  }
}

function headOf(halt: Halt, { notes }: DumpLosses) {
  const agent = texts(halt.agent ?? {}, ['name', 'model', 'sessionId', 'mode'])
  return {
    reason: String(halt.reason),
    ...texts(halt, ['taskId', 'projectId', 'sandboxRoot', 'stateKey', 'nextCommand']),
    ...known({
      details: halt.details === undefined ? undefined : plainJson(halt.details, (note) => notes.push(note)),
      iteration: Number.isFinite(halt.iteration) ? halt.iteration : undefined,
      agent: Object.keys(agent).length === 0 ? undefined : agent,
    }),
  }
}

function texts<K extends string>(fields: { readonly [key in K]?: unknown }, names: readonly K[]) {
  const found: { [key in K]?: string } = {}
  for (const name of names) if (fields[name] !== undefined) found[name] = String(fields[name])
  return found
}

const maxFiles = 50

function gitFields(git: GitReading | undefined): DumpMetadata['git'] {
  if (git?.state !== 'repository') return undefined
  const { root, branch, head, upstream, ahead, behind, dirty, changed, files } = git
  return {
    ...known({ root, branch, head, upstream, ahead, behind, dirty }),
    changed,
    files: files.slice(0, maxFiles).map((file) => ({ ...file, path: file.path.toWellFormed() })),
  }
}
