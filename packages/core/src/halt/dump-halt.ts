import { createRedaction, type Redaction, secretRedactor, valueRedactor } from '@tenfold/redact'
import { messageOf } from '../errors.ts'
import type { GitReading } from '../git/read-git.ts'
import { learningOnly } from '../redact/redact-session.ts'
import { cleanLine } from '../session/clean-text.ts'
import { known } from '../session/known.ts'
import { foldersToIgnore } from '../storage/folders-to-ignore.ts'
import { encodeJson } from '../storage/stored-json.ts'
import { type CollectedHalt, collectHalt } from './collect/collect-halt.ts'
import { environmentSecrets } from './collect/environment.ts'
import { plainJson } from './collect/plain-json.ts'
import { maxDumpBytes, packDump } from './dump-archive.ts'
import { dumpPaths, keysOfDump, newHaltId } from './dump-keys.ts'
import type { DumpMetadata, DumpNote, DumpPart, MissingPart } from './dump-schema.ts'
import type { DumpLosses } from './files/collect-files.ts'
import { sha256Of } from './files/found-file.ts'
import { makeFileParts } from './files/make-file-parts.ts'
import type { DumpHaltOptions, Halt } from './halt.ts'

/** A dump that was written. */
export interface WrittenDump {
  /** `partial` if something failed or was too large; `missing` says what and why. */
  readonly state: 'complete' | 'partial'
  /** By which `loadDump` finds it. */
  readonly haltId: string
  /** Key of the archive. */
  readonly key: string
  /** What was stored, `metadata.json` first. */
  readonly parts: readonly DumpPart[]
  /** What could not be collected, and why. */
  readonly missing: readonly MissingPart[]
  /** What was left out of a part, or changed in it. */
  readonly notes: readonly DumpNote[]
  /** Number of distinct secrets that marks replace. */
  readonly secrets: number
  /** Bytes of the archive. */
  readonly storedBytes: number
}

/** Result of {@link dumpHalt}. */
export type DumpedHalt = WrittenDump | { readonly state: 'disabled' }

/**
 * Writes what a halted run leaves but a state store does not hold: conversation, last execution, patch and files,
 * environment, a snapshot of the state, packed as one `.tar.gz`. A failure costs only the part it concerns. Metadata is
 * stored first: a dump without an archive was cut off. Throws {@link StorageError}, or the reason of `signal`.
 */
export async function dumpHalt(halt: Halt, options: DumpHaltOptions): Promise<DumpedHalt> {
  return options.enabled === false ? { state: 'disabled' } : await writeDump(halt, options)
}

/** Parts of a dump, and the metadata about them. */
export interface MadeParts {
  readonly parts: ReadonlyMap<string, MadePart>
  readonly patch?: DumpMetadata['patch']
  readonly sandboxRoot?: string | undefined
}

/** A part that is ready to be stored. */
export interface MadePart {
  readonly bytes: Uint8Array
  /** Parts of its text that were replaced. */
  readonly redacted: number
}

/** Writes a dump; `given` makes the files of one that another tool wrote. */
export async function writeDump(
  halt: Halt,
  options: DumpHaltOptions,
  given: (redaction: Redaction) => MadeParts = () => ({ parts: new Map() }),
): Promise<WrittenDump> {
  const { storage, env = process.env, createdAt = new Date(), signal } = options
  const secretsOfEnv = () => [secretRedactor(), valueRedactor(environmentSecrets(env))]
  const redaction = createRedaction(options.redactors ?? secretsOfEnv())
  const losses: DumpLosses = { missing: [], notes: [...(options.notes ?? [])] }
  const head = headOf(halt, createdAt, redaction, losses)
  const keys = keysOfDump(head.haltId)
  // One that is cut off still says what it was about.
  const { details: _, ...short } = head
  const begun = { schemaVersion: 1, state: 'writing', ...short, parts: [], missing: [], notes: [] }
  await storage.put(keys.metadata, encodeJson(begun))
  signal?.throwIfAborted()
  const ignore = foldersToIgnore(options.ignore, storage)
  const collected = await collectHalt(halt, { ...options, ignore }, losses)
  const made = await settled(async (current) => {
    current.learnValue(head)
    const own = await makeParts(collected, current)
    const more = given(current)
    return { ...own, ...known(more), parts: new Map([...own.parts, ...more.parts]) }
  }, redaction)
  const missing = [...losses.missing, ...made.missing].filter(({ path }) => !made.parts.has(path))
  const sorted = [...made.parts].sort(([a], [b]) => (a < b ? -1 : 1))
  const parts = sorted.map(
    ([path, { bytes, redacted }]): DumpPart => ({
      path,
      size: bytes.byteLength,
      ...(redacted > 0 && { redacted }),
    }),
  )
  const clean = redaction.redactValue({
    ...head,
    ...known({ git: gitFields(collected.git) }),
    notes: [...losses.notes, ...made.notes],
  })
  const metadata: DumpMetadata = {
    schemaVersion: 1,
    ...clean,
    // They name the keys of the dump: what redaction made of them does not count.
    haltId: head.haltId,
    createdAt: head.createdAt,
    state: missing.some(({ code }) => code === 'failed' || code === 'too-large') ? 'partial' : 'complete',
    ...known({ patch: made.patch, sandboxRoot: made.sandboxRoot ?? clean.sandboxRoot }),
    redaction: { secrets: redaction.count, types: redaction.types() },
    parts,
    missing: missing.map((part) => ({ ...part, reason: cleanLine(redaction.redact(part.reason)) })),
    notes: [...clean.notes],
  }
  const contents = sorted.map(([path, { bytes }]) => [path, bytes] as const)
  const about = encodeJson(metadata)
  const archive = await packDump(head.haltId, new Map([[dumpPaths.metadata, about], ...contents]))
  signal?.throwIfAborted()
  await storage.put(keys.archive, archive)
  const stored = { size: archive.byteLength, sha256: sha256Of(archive) }
  await storage.put(keys.metadata, encodeJson({ ...metadata, archive: stored }))
  return {
    state: metadata.state === 'partial' ? 'partial' : 'complete',
    haltId: head.haltId,
    key: keys.archive,
    parts: [{ path: dumpPaths.metadata, size: about.byteLength }, ...parts],
    missing: metadata.missing,
    notes: metadata.notes,
    secrets: redaction.count,
    storedBytes: archive.byteLength,
  }
}

type Made = MadeParts & { readonly missing: readonly MissingPart[]; readonly notes: readonly DumpNote[] }

/** Makes the parts, redacted. A failed part is missing, and costs no other part. */
async function makeParts({ parts: sources, files }: CollectedHalt, redaction: Redaction): Promise<Made> {
  const parts = new Map<string, MadePart>()
  const missing: MissingPart[] = []
  let total = 0
  const make = async (path: string, content: () => Uint8Array | Promise<Uint8Array>): Promise<void> => {
    const before = redaction.hits
    try {
      const bytes = await content()
      if (total + bytes.byteLength > maxDumpBytes) {
        const reason = `all parts would be more than ${maxDumpBytes} bytes`
        missing.push({ path, code: 'too-large', reason })
        return
      }
      total += bytes.byteLength
      parts.set(path, { bytes, redacted: redaction.hits - before })
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

type MetadataHead = Pick<DumpMetadata, 'haltId' | 'createdAt' | 'reason'> & Partial<DumpMetadata>

/** The caller's description of the halt, as plain JSON. */
function headOf(halt: Halt, createdAt: Date, redaction: Redaction, { notes }: DumpLosses): MetadataHead {
  const agent = texts(halt.agent ?? {}, ['name', 'model', 'sessionId', 'mode'])
  const clean = redaction.redactValue({
    reason: String(halt.reason),
    ...texts(halt, ['taskId', 'projectId', 'sandboxRoot', 'stateKey', 'nextCommand']),
    ...known({
      details: halt.details === undefined ? undefined : plainJson(halt.details, (note) => notes.push(note)),
      iteration: Number.isFinite(halt.iteration) ? halt.iteration : undefined,
      agent: Object.keys(agent).length === 0 ? undefined : agent,
    }),
  })
  return { haltId: newHaltId(createdAt, clean.taskId), createdAt: createdAt.toISOString(), ...clean }
}

/** Fields of the caller as texts, whatever they are. */
function texts<K extends string>(fields: { readonly [key in K]?: unknown }, names: readonly K[]) {
  const found: { [key in K]?: string } = {}
  for (const name of names) if (fields[name] !== undefined) found[name] = String(fields[name])
  return found
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
