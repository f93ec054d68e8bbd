import { dirname, join } from 'node:path'
import { asList, asObject, asText } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'

/**
 * Reads sessions of Continue's CLI and of its extensions, `~/.continue/sessions/<session>.json`: the messages, and in
 * those of the model its calls with their states. They hold no times. https://github.com/continuedev/continue
 */
export const continueReader: Reader = {
  name: 'continue',
  framing: 'document',
  detect,
  // The list of all sessions.
  companions: (path) => [join(dirname(path), 'sessions.json')],
  read: async (documents, out) => (await import('./read.ts')).readContinue(documents, out),
}

function detect({ document }: LogHead): number {
  const session = asObject(document)
  if (asText(session?.sessionId) === undefined) return 0
  const isItem = (value: unknown): boolean => {
    const item = asObject(value)
    return asText(asObject(item?.message)?.role) !== undefined && Array.isArray(item?.contextItems)
  }
  return asList(session?.history).some(isItem) ? 0.95 : 0
}
