import type { Redaction } from '@tenfold/redact'
import { decodeLog } from '../../readers/log/decode-log.ts'
import type { LogFile } from '../../readers/log/log-file.ts'
import type { OpenLog } from '../../readers/open-log.ts'
import { throughLines } from '../../redact/redact-lines.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import type { ArchivableFile, RedactedFile } from './archive-log.ts'

export interface RedactedLog {
  readonly files: readonly ArchivableFile[]
}

/**
 * Prepares a log for a redacted archive: JSON string by string, other lines as text; everything else, and the number of
 * each line, is unchanged. A file without secrets is archived byte for byte; a packed file with secrets (gzip, zstd) is
 * archived unpacked. All files are read once in advance, so that a value found late is replaced from the start.
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

/** Learns the secrets of all files of a log, including those that no reader takes. */
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
