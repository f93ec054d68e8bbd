import { createRedaction, type Redaction, secretRedactor, valueRedactor } from '@tenfold/redact'
import { messageOf } from '../errors.ts'
import type { GitReading } from '../git/read-git.ts'
import { cleanLine } from '../session/clean-text.ts'
import { known } from '../session/known.ts'
import { foldersToIgnore } from '../storage/folders-to-ignore.ts'
import { inParallel } from '../storage/in-parallel.ts'
import { encodeJson } from '../storage/stored-json.ts'
import { type CollectedHalt, collectHalt } from './collect/collect-halt.ts'
import { environmentSecrets } from './collect/environment.ts'
import { plainJson } from './collect/plain-json.ts'
import { dumpKey, dumpPaths, newHaltId } from './dump-keys.ts'
import type { DumpManifest, DumpMetadata, DumpNote, DumpPart, MissingPart } from './dump-schema.ts'
import type { DumpLosses } from './files/collect-files.ts'
import { sha256Of } from './files/found-file.ts'
import { makeFileParts } from './files/make-file-parts.ts'
import type { DumpHaltOptions, Halt } from './halt.ts'

/** A dump that was written. */
export interface WrittenDump {
  /** `partial` if something failed or was too large; `missing` says what and why. */
  readonly state: 'complete' | 'partial'
  /** By which `loadDump` and `restoreDump` find it. */
  readonly haltId: string
  /** Key of the manifest. */
  readonly key: string
  /** What was stored. */
  readonly parts: readonly DumpPart[]
  /** What could not be collected, and why. */
  readonly missing: readonly MissingPart[]
  /** What was left out of a part, or changed in it. */
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

/** A part that is ready to be stored. */
export interface MadePart {
  readonly path: string
  readonly bytes: Uint8Array
  /** Parts of its text that were replaced. */
  readonly redacted: number
}

/** The parts of a dump, and the metadata about them. */
export interface MadeParts {
  readonly parts: readonly MadePart[]
  readonly patch?: DumpMetadata['patch']
  readonly sandboxRoot?: string | undefined
}

/** Writes a dump; `given` makes the files of one that another tool wrote. */
export async function writeDump(
  halt: Halt,
  options: DumpHaltOptions,
  given: (redaction: Redaction) => MadeParts = () => ({ parts: [] }),
): Promise<WrittenDump> {
  const { storage, env = process.env, createdAt = new Date(), signal } = options
  const secretsOfEnv = () => [secretRedactor(), valueRedactor(environmentSecrets(env))]
  const redaction = createRedaction(options.redactors ?? secretsOfEnv())
  const losses: DumpLosses = { missing: [], notes: [...(options.notes ?? [])] }
  const head = headOf(halt, createdAt, redaction, losses)
  const { haltId } = head
  const keyOf = (path: string): string => dumpKey(options, haltId, path)
  const missing: MissingPart[] = []
  /** A failed put costs only that part. */
  const put = async ({ path, bytes, redacted }: MadePart): Promise<DumpPart | undefined> => {
    signal?.throwIfAborted()
    try {
      await storage.put(keyOf(path), bytes)
    } catch (error) {
      signal?.throwIfAborted()
      missing.push({ path, code: 'failed', reason: messageOf(error) })
      return undefined
    }
    return { path, size: bytes.byteLength, sha256: sha256Of(bytes), ...(redacted > 0 && { redacted }) }
  }
  const putMetadata = (metadata: DumpMetadata) =>
    put({ path: dumpPaths.metadata, bytes: encodeJson(metadata), redacted: 0 })

  // One that is cut off still says what it was about.
  const { details: _, ...short } = head
  await putMetadata({ schemaVersion: 1, state: 'writing', ...short, missing: [], notes: [] })
  for (const { reason } of missing.splice(0))
    losses.notes.push({ code: 'begin-failed', message: `the dump could not be announced: ${reason}` })
  signal?.throwIfAborted()
  const ignore = foldersToIgnore(options.ignore, storage)
  const collected = await collectHalt(halt, { ...options, ignore }, losses)
  const made = await settled(async (current) => {
    current.learnValue(head)
    const own = await makeParts(collected, current)
    const more = given(current)
    return { ...own, ...known(more), parts: [...own.parts, ...more.parts] }
  }, redaction)
  const there = new Set(made.parts.map(({ path }) => path))
  const written = await inParallel(made.parts, 4, put)
  losses.missing = [...losses.missing, ...made.missing].filter(({ path }) => !there.has(path))
  losses.missing.push(...missing.splice(0))
  const metadata = metadataOf(head, { collected, made, losses }, redaction)
  written.push(await putMetadata(metadata))

  const lost = [...metadata.missing, ...missing.map((part) => cleanReason(part, redaction))]
  const manifest: DumpManifest = {
    schemaVersion: 1,
    haltId,
    createdAt: createdAt.toISOString(),
    state: stateOf(lost),
    parts: written.filter((part) => part !== undefined).sort((a, b) => (a.path < b.path ? -1 : 1)),
    missing: lost,
  }
  signal?.throwIfAborted()
  const key = keyOf(dumpPaths.manifest)
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

type Made = MadeParts & { readonly missing: readonly MissingPart[]; readonly notes: readonly DumpNote[] }

/** Makes the parts, redacted. A failed part is missing, and costs no other part. */
async function makeParts({ parts: sources, files }: CollectedHalt, redaction: Redaction): Promise<Made> {
  const parts: MadePart[] = []
  const missing: MissingPart[] = []
  const make = async (path: string, bytes: () => Uint8Array | Promise<Uint8Array>): Promise<void> => {
    const before = redaction.hits
    try {
      parts.push({ path, bytes: await bytes(), redacted: redaction.hits - before })
    } catch (error) {
      missing.push({ path, code: 'failed', reason: messageOf(error) })
    }
  }
  for (const [path, bytes] of sources) await make(path, () => bytes(redaction))
  const made = files && (await makeFileParts(files, redaction, make))
  return { parts, missing, notes: made?.notes ?? [], ...known({ patch: made?.patch }) }
}

/**
 * Makes everything once to learn its secrets, since one may be in any other text, and again as long as that reveals a
 * new spelling of one.
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

/** Learns what it is given, and changes nothing. */
function learningOnly(redaction: Redaction): Redaction {
  return {
    ...redaction,
    isClean: true,
    leaks: () => 0,
    redact(text) {
      redaction.learn(text)
      return text
    },
    redactValue(value) {
      redaction.learnValue(value)
      return value
    },
  }
}

function stateOf(missing: readonly MissingPart[]): 'complete' | 'partial' {
  return missing.some(({ code }) => code === 'failed' || code === 'too-large') ? 'partial' : 'complete'
}

function cleanReason(part: MissingPart, redaction: Redaction): MissingPart {
  return { ...part, reason: cleanLine(redaction.redact(part.reason)) }
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

function metadataOf(
  head: MetadataHead,
  { collected, made, losses }: { collected: CollectedHalt; made: Made; losses: DumpLosses },
  redaction: Redaction,
): DumpMetadata {
  const texts = {
    ...head,
    ...known({ git: gitFields(collected.git) }),
    notes: [...losses.notes, ...made.notes],
  }
  const clean = redaction.redactValue(texts)
  return {
    schemaVersion: 1,
    ...clean,
    // They name the keys of the dump: what redaction made of them does not count.
    haltId: head.haltId,
    createdAt: head.createdAt,
    state: stateOf(losses.missing),
    ...known({ patch: made.patch, sandboxRoot: made.sandboxRoot ?? clean.sandboxRoot }),
    redaction: { secrets: redaction.count, types: redaction.types() },
    missing: losses.missing.map((part) => cleanReason(part, redaction)),
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
