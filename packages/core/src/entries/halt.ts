// Halt dumps: what a halted run leaves.

export type { ToolCallRecord } from '../halt/collect/collect-conversation.ts'
export { type DumpedHalt, dumpHalt, type WrittenDump } from '../halt/dump-halt.ts'
export type {
  DumpManifest,
  DumpMetadata,
  DumpNote,
  DumpPart,
  FileManifest,
  MissingPart,
} from '../halt/dump-schema.ts'
export {
  type ExportDumpOptions,
  type ExportedDump,
  exportDump,
  openExportedDump,
} from '../halt/exported-dump.ts'
export type { DumpHaltOptions, DumpLimits, Halt, HaltedAgent } from '../halt/halt.ts'
export { type HaltDump, loadDump, readDumpedFile } from '../halt/read-dump.ts'
export type { RestoreFinding } from '../halt/restore/check-restored.ts'
export { type RestoreDumpOptions, type RestoredDump, restoreDump } from '../halt/restore/restore-dump.ts'
export {
  type DeletedDump,
  type DumpEntry,
  type DumpFilter,
  type DumpFinding,
  type DumpReport,
  deleteDump,
  listDumps,
  pruneDumps,
  verifyDump,
} from '../halt/stored-dumps.ts'
