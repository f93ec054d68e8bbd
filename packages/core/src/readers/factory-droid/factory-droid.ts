import type { LogHead, Reader } from '../reader/reader.ts'
import { detectDroid, isSettings } from './detect.ts'
import { droidLogs, settingsFile } from './folder.ts'

/**
 * Reads sessions of Factory's Droid, `~/.factory/sessions/<project>/<id>.jsonl`, with the model and the usage from
 * `<id>.settings.json` next to them.
 */
export const factoryDroidReader: Reader = {
  name: 'factory-droid',
  framing: ({ document }: LogHead) => (isSettings(document) ? 'document' : 'lines'),
  detect: detectDroid,
  logsInFolder: droidLogs,
  sessionFiles: settingsFile,
  read: async (records, out) => (await import('./read.ts')).readDroid(records, out),
}
