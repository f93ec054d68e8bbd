import { createHash } from 'node:crypto'
import type { Redaction } from '@tenfold/redact'
import { decodeLog } from '../../readers/log/decode-log.ts'
import type { LogFile } from '../../readers/log/log-file.ts'
import type { OpenLog } from '../../readers/open-log.ts'
import { sessionToJsonl } from '../../readers/tenfold.ts'
import { throughLines } from '../../redact/redact-lines.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import type { Session } from '../../session/session.ts'
import type { ArchivableFile, ArchivableLog, RedactedFile } from './archive-log.ts'

/**
 * Returns the archived form of a log: its files with secrets replaced by marks. For a session from a database, only
 * that session in Tenfold's own lines, since the database also holds other sessions and account tokens. `session` is
 * redacted.
 */
export function archivableLog(
  log: Pick<OpenLog, 'files'>,
  session: Session,
  redaction: Redaction,
): ArchivableLog {
  return session.source.database === true ? sessionLines(session) : redactLog(log, redaction)
}

function sessionLines(session: Session): ArchivableLog {
  const { bytes, sha256, files } = session.source
  const name = `${files[0]?.name ?? 'database'}.jsonl`
  const hash = createHash('sha256')
  const blocks = function* (): Generator<Uint8Array> {
    for (const line of sessionToJsonl(session)) yield Buffer.from(line)
  }
  let size = 0
  for (const block of blocks()) {
    hash.update(block)
    size += block.byteLength
  }
  const info = { name, bytes: size, sha256: hash.digest('hex'), lines: session.events.length + 1 }
  return {
    files: [
      {
        name,
        async *blocks() {
          yield* blocks()
        },
        // It replaces the original, which `replaced: 1` records in the list of files.
        redact: async (lines) => ({ name, replaced: 1, blocks: lines }),
      },
    ],
    source: { files: [info], bytes, sha256 },
  }
}

interface RedactedLog {
  readonly files: readonly ArchivableFile[]
}

/**
 * Prepares a log for a redacted archive. Each JSON string is redacted separately, and other lines as text; everything
 * else and the number of each line stay. A file without secrets is archived byte for byte; a packed file with secrets
 * (gzip, zstd) is archived unpacked. All files are read once in advance, so that a value found late is replaced from
 * the start.
 */
export function redactLog(log: Pick<OpenLog, 'files'>, redaction: Redaction): RedactedLog {
  let learning: Promise<void> | undefined
  return {
    files: log.files.map((file) => ({
      name: file.name,
      blocks: () => file.blocks(),
      async redact(original, options) {
        learning ??= learnLog(log, redaction, options)
        await learning
        if (redaction.isClean) return { name: file.name, replaced: 0, blocks: original }
        return redactFile({ ...file, blocks: () => original }, redaction)
      },
    })),
  }
}

/** Learns the secrets of all files of a log, including those without a reader. */
async function learnLog(
  log: Pick<OpenLog, 'files'>,
  redaction: Redaction,
  options: AbortableOptions = {},
): Promise<void> {
  const learn = (text: string): string => {
    redaction.learn(text)
    return text
  }
  for (const file of log.files) {
    redaction.learn(file.name)
    const text = decodeLog(file, () => {})
    for await (const _ of throughLines(text, learn)) options.signal?.throwIfAborted()
  }
}

function redactFile(file: LogFile, redaction: Redaction): RedactedFile {
  const { name } = file
  const before = redaction.hits
  const clean = redaction.redact(name)
  const blocks = throughLines(
    decodeLog(file, () => {}),
    (text) => redaction.redact(text, { keepLines: true, learned: true }),
  )
  return {
    blocks,
    get replaced() {
      return redaction.hits - before
    },
    get name() {
      return redaction.hits > before ? clean.replace(/\.(?:gz|zst|zstd)$/i, '') : name
    },
  }
}
