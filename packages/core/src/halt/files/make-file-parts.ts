import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { Redaction } from '@tenfold/redact'
import { shownNames } from '../../git/git-line.ts'
import { known } from '../../session/known.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { DumpNote, FileManifest, ManifestFile } from '../dump-schema.ts'
import type { CollectedFiles } from './collect-files.ts'
import { isNoText, pathFault } from './found-file.ts'

/** Adds a part to a dump. `redacted` is the number of marks that `bytes` already contains. */
export type MakePart = (
  path: string,
  bytes: () => Uint8Array | Promise<Uint8Array>,
  redacted?: number,
) => Promise<void>

/**
 * Makes redacted parts of all files, the patch, and the file manifest, which names all files. A name with a secret is
 * redacted, so its file cannot be restored. Returns notes on what is left out.
 */
export async function makeFileParts(
  { root, head, patch, complete, files }: CollectedFiles,
  redaction: Redaction,
  make: MakePart,
): Promise<DumpNote[]> {
  const taken = new Set<string>()
  const unsearched: string[] = []
  const listed: ManifestFile[] = []
  for (const { path: original, status, content, reason } of files) {
    const path = redaction.redact(original)
    const about = { path, ...known({ status }) }
    const before = redaction.hits
    const kept = content && withoutSecrets(content.bytes, redaction)
    if (content === undefined || kept === undefined) {
      const why = content === undefined ? reason : 'it is not text and contains a secret'
      listed.push({ ...about, ...known({ reason: why }) })
      continue
    }
    const redacted = redaction.hits - before
    if (kept.packed) unsearched.push(path)
    // Names that may lead elsewhere, or that are equal after redaction, cannot be used in an archive.
    const isPlain = pathFault(path) === undefined && !isNoText(path) && !taken.has(path)
    const part = `${dumpPaths.snapshots}/${isPlain ? path : hash('sha256', original)}`
    taken.add(path)
    const { mode } = content
    const { length: size } = content.bytes
    const stored = { size, mode, sha256: hash('sha256', content.bytes), part }
    listed.push({ ...about, ...stored, ...(redacted > 0 && { redacted }) })
    await make(part, () => kept.bytes, redacted)
  }
  const hidden: string[] = []
  if (patch !== undefined) {
    const kept = sectionsOf(patch).filter((section) => {
      const found = secretsInSection(section, redaction)
      if (found) hidden.push(redaction.redact(nameOf(section)))
      return !found
    })
    await make(dumpPaths.patch, () => Buffer.concat(kept))
  }
  const manifest: FileManifest = {
    ...{ schemaVersion: 1, root: redaction.redact(root), ...known({ head }), complete, files: listed },
  }
  await make(dumpPaths.files, () => encodeJson(manifest))
  const left = listed.flatMap(({ path, reason }) => (reason === undefined ? [] : [path]))
  return [
    ...noteOf('files-left-out', left, 'not stored, file-manifest.json says why'),
    ...noteOf('files-not-searched', unsearched, 'compressed, and not searched for secrets'),
    ...noteOf('patch-left-out', hidden, 'not in the patch, which would show a secret'),
  ]
}

function noteOf(code: string, paths: readonly string[], what: string): DumpNote[] {
  return paths.length === 0 ? [] : [{ code, message: `${what}: ${shownNames(paths, paths.length, 20)}` }]
}

/** Returns a text with its secrets replaced by marks, which would break binary data: undefined if that contains a secret. */
function withoutSecrets(
  bytes: Buffer,
  redaction: Redaction,
): { readonly bytes: Buffer; readonly packed?: boolean } | undefined {
  const file = searchedFile(bytes)
  if (!file.isText) return hasSecret(file.text, redaction) ? undefined : { bytes, packed: file.packed }
  const clean = redaction.redact(file.text, { keepLines: true })
  return { bytes: clean === file.text ? bytes : Buffer.from(clean, file.encoding) }
}

function hasSecret(text: string, redaction: Redaction): boolean {
  redaction.learn(text)
  return redaction.leaks(text) > 0
}

/** Splits a patch by files, without files of which only the time changed. No line of a hunk begins like a header. */
function sectionsOf(patch: Buffer): Buffer[] {
  const sections: Buffer[] = []
  for (let start = 0; start < patch.length; ) {
    const next = patch.indexOf('\ndiff --git ', start)
    const end = next === -1 ? patch.length : next + 1
    if (patch.indexOf('\n', start) + 1 < end) sections.push(patch.subarray(start, end))
    start = end
  }
  return sections
}

/** Checks the head of a section, with the context that git shows after `@@`, and the file before and after. */
function secretsInSection(section: Buffer, redaction: Redaction): boolean {
  const lines = textOf(section).split('\n')
  const side = (sign: string) =>
    lines.flatMap((line) => (line[0] === sign || line[0] === ' ' ? [line.slice(1)] : []))
  const head = lines.filter((line) => !/^[-+ ]/.test(line))
  return [head, side('-'), side('+')].some((each) => hasSecret(each.join('\n'), redaction))
}

function nameOf(section: Buffer): string {
  const [, name = ''] = /^diff --git "?a\/(.*?)"? "?b\/|$/.exec(textOf(section)) ?? []
  return name
}

function textOf(section: Buffer): string {
  return section.toString(isUtf8(section) ? 'utf8' : 'latin1')
}

const maxUnpacked = 64 * 1024 * 1024

/**
 * Reads bytes as text: UTF-8 if valid, otherwise one character per byte. Binary data contains NUL or is packed; its
 * text omits NUL bytes, as in UTF-16 and databases, and is incomplete if `packed` in an unknown format.
 */
function searchedFile(bytes: Buffer) {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  const unpacked = isGzip ? gunzipped(bytes) : bytes
  if (unpacked === undefined) return { isText: false, text: '', packed: true } as const
  const packed = packedStarts.test(unpacked.toString('hex', 0, 6))
  const hasNul = unpacked.includes(0)
  const encoding = !hasNul && isUtf8(unpacked) ? 'utf8' : 'latin1'
  const text = unpacked.toString(encoding).replaceAll('\0', '')
  return { isText: !(isGzip || packed || hasNul), text, packed, encoding } as const
}

/** Zip, Zstandard, xz, bzip2, 7z. */
const packedStarts = /^(?:504b0304|28b52ffd|fd377a585a00|425a68|377abcaf271c)/

function gunzipped(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxUnpacked })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
