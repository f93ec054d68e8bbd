export type { ToolCallRecord } from '../halt/collect/collect-conversation.ts'
export { type DumpedHalt, dumpHalt, type WrittenDump } from '../halt/dump-halt.ts'
export type { DumpMetadata, DumpNote, DumpPart, FileManifest, MissingPart } from '../halt/dump-schema.ts'
export type { DumpHaltOptions, DumpLimits, Halt, HaltedAgent } from '../halt/halt.ts'
export {
  type RestoreDumpOptions,
  type RestoredDump,
  type RestoreFinding,
  restoreDump,
} from '../halt/restore/restore-dump.ts'
export {
  type DeletedDump,
  type DumpEntry,
  type DumpFilter,
  type DumpFinding,
  type DumpReport,
  deleteDump,
  exportDump,
  type HaltDump,
  listDumps,
  loadDump,
  openExportedDump,
  pruneDumps,
  readDumpedFile,
  verifyDump,
} from '../halt/stored-dumps.ts'
