/** Name and SHA-256 of one file of a log. */
export interface ArchivedName {
  readonly name: string
  readonly sha256: string
}

/**
 * Lines as `sha256sum` prints them and `sha256sum -c` reads them; a name with a line break or backslash is escaped and
 * its line begins with a backslash. https://www.gnu.org/software/coreutils/manual/html_node/md5sum-invocation.html
 */
export function formatSums(files: readonly ArchivedName[]): string {
  return files
    .map(({ name, sha256 }) =>
      /[\\\n\r]/.test(name) ? `\\${sha256}  ${escapeName(name)}\n` : `${sha256}  ${name}\n`,
    )
    .join('')
}

/** Reads what `formatSums` writes; undefined for any other text. */
export function parseSums(text: string): ArchivedName[] | undefined {
  if (!text.endsWith('\n')) return undefined
  const files: ArchivedName[] = []
  for (const line of text.slice(0, -1).split('\n')) {
    const escaped = line.startsWith('\\')
    const plain = escaped ? line.slice(1) : line
    if (!/^[0-9a-f]{64} {2}/.test(plain)) return undefined
    const name = plain.slice(66)
    files.push({ name: escaped ? unescapeName(name) : name, sha256: plain.slice(0, 64) })
  }
  return files
}

function escapeName(name: string): string {
  return name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
}

function unescapeName(name: string): string {
  return name.replace(/\\([\\nr])/g, (_, code: string) => (code === 'n' ? '\n' : code === 'r' ? '\r' : '\\'))
}
