import { messageOf } from '../errors.ts'
import type { GitReading } from '../git/read-git.ts'
import { createRedaction, type Redaction } from '../redact/redaction.ts'
import { secretRedactor } from '../redact/secret-redactor.ts'
import { valueRedactor } from '../redact/values/value-redactor.ts'
import { cleanLine } from '../session/clean-text.ts'
import { known } from '../session/known.ts'
import { foldersToIgnore } from '../storage/folders-to-ignore.ts'
import { inParallel } from '../storage/in-parallel.ts'
import type { Storage } from '../storage/storage.ts'
import { encodeJson } from '../storage/stored-json.ts'
import { type CollectedHalt, collectHalt, type DumpLosses } from './collect/collect-halt.ts'
import { environmentSecrets } from './collect/environment-values.ts'
import { sha256Of } from './collect/file-digests.ts'
import { plainJson } from './collect/plain-json.ts'
import { type DumpPlace, dumpKey, dumpPaths, newHaltId } from './dump-keys.ts'
import type { DumpManifest, DumpMetadata, DumpNote, DumpPart, MissingPart } from './dump-schema.ts'
import type { DumpHaltOptions, Halt } from './halt.ts'
import { learnHalt, type MadePart, type MadeParts, makeParts } from './parts/make-parts.ts'

/** A dump that was written. */
export interface WrittenDump {
  /** `partial` if something failed or was too large; `missing` says what and why. */
  readonly state: 'complete' | 'partial'
  readonly haltId: string
  /** Key of the manifest. */
  readonly key: string
  readonly parts: readonly DumpPart[]
  readonly missing: readonly MissingPart[]
  readonly notes: readonly DumpNote[]
  /** Number of distinct secrets that marks replace. */
  readonly secrets: number
  /** Bytes of all parts. */
  readonly storedBytes: number
}

/** Result of {@link dumpHalt}. */
export type DumpedHalt = WrittenDump | { readonly state: 'disabled' }

/**
 * Writes what a halted run leaves but a state store does not hold: conversation, last execution, patch and files,
 * environment, a snapshot of the state. A failure costs only the part it concerns. Metadata goes first, the manifest
 * last: a dump without one was cut off. Throws {@link StorageError} if the manifest cannot be stored, or the reason of
 * `signal`.
 */
export async function dumpHalt(halt: Halt, options: DumpHaltOptions): Promise<DumpedHalt> {
  return options.enabled === false ? { state: 'disabled' } : await writeDump(halt, options)
}

/** Files of a sandbox that is not here, without their secrets. */
export interface GivenFiles extends Pick<MadeParts, 'parts' | 'patch'> {
  readonly sandboxRoot?: string | undefined
}

/** Writes a dump; `given` makes the files of one that another tool wrote, once all else was searched for secrets. */
export async function writeDump(
  halt: Halt,
  options: DumpHaltOptions,
  given?: (redaction: Redaction) => GivenFiles,
): Promise<WrittenDump> {
  const { storage, createdAt = new Date(), signal } = options
  const place: DumpPlace = { prefix: options.prefix }
  const redaction = createRedaction(redactorsOf(options))
  const losses: DumpLosses = { missing: [], notes: [...(options.notes ?? [])] }
  const head = headOf(halt, createdAt, redaction, losses)
  const { haltId } = head
  const key = dumpKey(place, haltId, dumpPaths.manifest)
  await begin(head, options, place, losses)
  signal?.throwIfAborted()

  const ignore = foldersToIgnore(options.ignore, storage)
  const collected = await collectHalt(halt, { ...options, ignore }, losses)
  await learnHalt(halt, collected, redaction)
  redaction.learnValue(head)
  const made = await settled(async (): Promise<MadeParts & GivenFiles> => {
    const own = await makeParts(halt, collected, redaction)
    const more = given?.(redaction)
    return more === undefined ? own : { ...own, ...more, parts: [...own.parts, ...more.parts] }
  }, redaction)
  const there = new Set(made.parts.map(({ path }) => path))
  losses.missing = [...losses.missing, ...made.missing].filter(({ path }) => !there.has(path))
  const write = (parts: readonly MadePart[]) =>
    writeParts(storage, (path) => dumpKey(place, haltId, path), parts, signal)
  const written = await write(made.parts)
  losses.missing.push(...written.missing)

  const state = losses.missing.some(isLoss) ? 'partial' : 'complete'
  const metadata = metadataOf({ head, state, collected, made, losses }, redaction)
  const own = await write([{ path: dumpPaths.metadata, bytes: encodeJson(metadata), redacted: 0 }])
  const missing = [...metadata.missing, ...own.missing]
  const manifest: DumpManifest = {
    schemaVersion: 1,
    haltId,
    createdAt: createdAt.toISOString(),
    state: missing.some(isLoss) ? 'partial' : 'complete',
    parts: [...written.parts, ...own.parts].sort((a, b) => (a.path < b.path ? -1 : 1)),
    missing: missing.map((part) => ({ ...part, reason: cleanLine(redaction.redact(part.reason)) })),
  }
  signal?.throwIfAborted()
  await storage.put(key, encodeJson(manifest))
  return {
    state: manifest.state,
    haltId,
    key,
    parts: manifest.parts,
    missing: manifest.missing,
    notes: metadata.notes,
    secrets: redaction.count,
    storedBytes: manifest.parts.reduce((sum, { size }) => sum + size, 0),
  }
}

const parallelPuts = 4

/** Stores parts. A failed put costs only that part. Throws only if `signal` is aborted. */
async function writeParts(
  storage: Storage,
  keyOf: (path: string) => string,
  made: readonly MadePart[],
  signal: AbortSignal | undefined,
): Promise<{ readonly parts: readonly DumpPart[]; readonly missing: readonly MissingPart[] }> {
  const missing: MissingPart[] = []
  const written = await inParallel(made, parallelPuts, async ({ path, bytes, redacted }) => {
    signal?.throwIfAborted()
    try {
      await storage.put(keyOf(path), bytes)
    } catch (error) {
      signal?.throwIfAborted()
      missing.push({ path, code: 'failed', reason: messageOf(error) })
      return undefined
    }
    return { path, size: bytes.byteLength, sha256: sha256Of(bytes), ...(redacted > 0 && { redacted }) }
  })
  return { parts: written.filter((part) => part !== undefined), missing }
}

function isLoss({ code }: MissingPart): boolean {
  return code === 'failed' || code === 'too-large'
}

function redactorsOf({ redactors, env = process.env }: DumpHaltOptions) {
  return redactors ?? [secretRedactor(), valueRedactor(environmentSecrets(env))]
}

type MetadataHead = Pick<DumpMetadata, 'haltId' | 'createdAt' | 'reason'> & Partial<DumpMetadata>

/** The caller's description of the halt, as plain JSON. */
function headOf(halt: Halt, createdAt: Date, redaction: Redaction, { notes }: DumpLosses): MetadataHead {
  const { agent = {} } = halt
  const text = (value: unknown): string | undefined => (value === undefined ? undefined : String(value))
  const { name, model, sessionId, mode } = agent
  const about = known({ name: text(name), model: text(model), sessionId: text(sessionId), mode: text(mode) })
  const fields = {
    reason: String(halt.reason),
    ...known({
      details: halt.details === undefined ? undefined : plainJson(halt.details, (note) => notes.push(note)),
      taskId: text(halt.taskId),
      iteration: Number.isFinite(halt.iteration) ? halt.iteration : undefined,
      projectId: text(halt.projectId),
      sandboxRoot: text(halt.sandboxRoot),
      agent: Object.keys(about).length === 0 ? undefined : about,
      stateKey: text(halt.stateKey),
      nextCommand: text(halt.nextCommand),
    }),
  }
  const clean = redaction.redactValue(fields)
  return { haltId: newHaltId(createdAt, clean.taskId), createdAt: createdAt.toISOString(), ...clean }
}

/** Announces that a dump has begun: one that is cut off still says what it was about. */
async function begin(
  { details, ...short }: MetadataHead,
  { storage, signal }: DumpHaltOptions,
  place: DumpPlace,
  { notes }: DumpLosses,
): Promise<void> {
  const metadata: DumpMetadata = { schemaVersion: 1, state: 'writing', ...short, missing: [], notes: [] }
  try {
    await storage.put(dumpKey(place, short.haltId, dumpPaths.metadata), encodeJson(metadata))
  } catch (error) {
    signal?.throwIfAborted()
    notes.push({ code: 'begin-failed', message: `the dump could not be announced: ${messageOf(error)}` })
  }
}

/** Redacting may reveal more spellings of a secret: then everything is made again with that knowledge. */
async function settled<T>(make: () => Promise<T>, redaction: Redaction): Promise<T> {
  for (let round = 0; ; round++) {
    const before = redaction.learned
    const made = await make()
    if (redaction.learned === before || round === 3) return made
  }
}

interface MetadataSource {
  readonly head: MetadataHead
  readonly state: 'complete' | 'partial'
  readonly collected: CollectedHalt
  readonly made: MadeParts & GivenFiles
  readonly losses: DumpLosses
}

function metadataOf(
  { head, state, collected, made, losses }: MetadataSource,
  redaction: Redaction,
): DumpMetadata {
  const { git } = collected
  const texts = {
    ...head,
    ...known({ git: gitFields(git) }),
    missing: losses.missing,
    notes: [...losses.notes, ...made.notes],
  }
  const clean = redaction.redactValue(texts)
  // They name the keys of the dump: what redaction made of them does not count.
  const ids = { haltId: head.haltId, createdAt: head.createdAt }
  return {
    schemaVersion: 1,
    ...ids,
    state,
    ...clean,
    ...ids,
    ...known({ patch: made.patch, sandboxRoot: made.sandboxRoot ?? clean.sandboxRoot }),
    redaction: { secrets: redaction.count, types: redaction.types() },
    missing: clean.missing.map((part) => ({ ...part, reason: cleanLine(part.reason) })),
    notes: [...clean.notes],
  }
}

function gitFields(git: GitReading | undefined): DumpMetadata['git'] {
  if (git?.state !== 'repository') return undefined
  const { root, branch, head, upstream, ahead, behind, dirty, changed, files } = git
  return {
    ...known({ root, branch, head, upstream, ahead, behind, dirty }),
    changed,
    files: files.map((file) => ({ ...file, path: file.path.toWellFormed() })),
  }
}
