import { claudeCodeReader, claudeCodeWebReader } from './claude-code/claude-code.ts'
import { codexReader } from './codex/codex.ts'
import type { Reader } from './reader.ts'
import { tenfoldReader } from './tenfold/tenfold.ts'

/** The readers that are tried on a log of unknown format. */
export const defaultReaders: readonly Reader[] = [
  claudeCodeReader,
  claudeCodeWebReader,
  codexReader,
  tenfoldReader,
]
