import { StorageError } from '../../errors.ts'
import { logDigest } from '../../session/log-digest.ts'
import { putIfAbsent, putIfMatch } from '../../storage/put-if-absent.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeOrFault, decodeText } from '../../storage/stored-json.ts'

/** Name and SHA-256 of one stored file of an archived log. */
export interface ArchivedName {
  readonly name: string
  readonly sha256: string
  /** Number of parts that marks replaced; absent if the file is stored unchanged. */
  readonly redacted?: number
}

/**
 * Formats lines as `sha256sum` prints them and `sha256sum -c` reads them. A name with a line break or backslash is
 * escaped, and its line begins with a backslash. If files were redacted, comments give the number of parts: before each
 * such file, and in the first line, with the digest of the list.
 * https://www.gnu.org/software/coreutils/manual/html_node/md5sum-invocation.html
 */
export function formatSums(files: readonly ArchivedName[]): string {
  const redacted = redactedParts(files)
  const head = redacted === 0 ? '' : `# redacted: ${redacted} in all, list ${logDigest(files)}\n`
  return head + files.map(formatLine).join('')
}

/** Parses the output of {@link formatSums}; undefined for any other text. */
export function parseSums(text: string): ArchivedName[] | undefined {
  if (!text.endsWith('\n')) return undefined
  const lines = text.slice(0, -1).split('\n')
  const head = /^# redacted: \d+ in all, list ([0-9a-f]{64})$/.exec(lines[0] ?? '')
  const files: ArchivedName[] = []
  let comment: RegExpExecArray | null = null
  for (const line of head === null ? lines : lines.slice(1)) {
    const before = comment
    comment = head && /^# redacted: ([1-9]\d{0,14})$/.exec(line)
    if (comment !== null && before === null) continue
    const file = parseFile(line)
    if (file === undefined) return undefined
    files.push(before === null ? file : { ...file, redacted: Number(before[1]) })
  }
  if (comment !== null) return undefined
  // The key of a list that was not redacted is its digest.
  return head !== null && formatSums(files) !== text ? undefined : files
}

export function redactedParts(files: readonly ArchivedName[]): number {
  return files.reduce((sum, file) => sum + (file.redacted ?? 0), 0)
}

function formatLine({ name, sha256, redacted = 0 }: ArchivedName): string {
  const comment = redacted === 0 ? '' : `# redacted: ${redacted}\n`
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `${comment}${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`
}

function parseFile(line: string): ArchivedName | undefined {
  const [, mark, sha256 = '', name = ''] = /^(\\?)([0-9a-f]{64}) {2}(.*)$/s.exec(line) ?? []
  if (mark === undefined) return undefined
  const unescaped = (_: string, code: string) => (code === 'n' ? '\n' : code === 'r' ? '\r' : '\\')
  return { name: mark === '' ? name : name.replace(/\\([\\nr])/g, unescaped), sha256 }
}

/** Reads a stored list of archived files; `files` is undefined if it is damaged. */
export async function readSums(storage: Storage, key: string) {
  const stored = await storage.get(key)
  if (stored === undefined) return undefined
  const text = decodeOrFault(() => decodeText(key, stored.bytes))
  return { etag: stored.etag, files: typeof text === 'string' ? parseSums(text) : undefined }
}

const attempts = 5

/**
 * Stores a list of archived files and returns the valid one: an existing list is replaced only if it is damaged, or if
 * the new one has more redacted parts.
 */
export async function putSums(
  storage: Storage,
  key: string,
  files: readonly ArchivedName[],
): Promise<readonly ArchivedName[]> {
  const bytes = new TextEncoder().encode(formatSums(files))
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await putIfAbsent(storage, key, bytes)) return files
    const stored = await readSums(storage, key)
    if (stored === undefined) continue
    if (stored.files !== undefined && redactedParts(stored.files) >= redactedParts(files)) return stored.files
    if (await putIfMatch(storage, key, bytes, stored.etag)) return files
  }
  throw new StorageError(key, `${storage.name}: ${key} keeps changing; try again`, { retryable: true })
}

/** Returns the size of a stored object, undefined if there is none. */
export async function storedSize(storage: Storage, key: string): Promise<number | undefined> {
  for await (const object of storage.list(key)) if (object.key === key) return object.size
  return undefined
}
