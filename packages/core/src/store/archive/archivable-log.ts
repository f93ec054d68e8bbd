import { createHash } from 'node:crypto'
import type { Redaction } from '@tenfold/redact'
import type { OpenLog } from '../../readers/open-log.ts'
import { sessionToJsonl } from '../../readers/tenfold.ts'
import type { Session } from '../../session/session.ts'
import type { ArchivableLog } from './archive-log.ts'
import { redactLog } from './redact-log.ts'

/**
 * Returns what the archive keeps of a log: its files with marks in place of secrets. For a session from a database only
 * that session, as Tenfold's own lines, since the database also holds other sessions and account tokens. `session` is
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
        // It replaces the original; the list of files says so by a replaced part.
        redact: async (lines) => ({ name, replaced: 1, blocks: lines }),
      },
    ],
    source: { files: [info], bytes, sha256 },
  }
}
