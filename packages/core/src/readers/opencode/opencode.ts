import { basename, dirname, join } from 'node:path'
import { errorCode } from '../../errors.ts'
import { readRegularFile } from '../../regular-file.ts'
import { asList, asNumber, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { unpackedName } from '../log/log-file.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { filesNamed, namesIn, packedFilesIn } from '../shared/folder-files.ts'
import { rowsOrDocument } from '../shared/framing.ts'
import { detectOpenCode, kindOf } from './detect.ts'

/**
 * Reads OpenCode: `opencode export`, the database `opencode.db`, the older folder `storage`, and the lines that
 * `opencode run --format json` prints. https://opencode.ai/docs
 */
export const openCodeReader: Reader = {
  name: 'opencode',
  // Exports and the files of the storage folder are documents, `opencode run --format json` prints lines.
  framing: rowsOrDocument,
  // Others hold access tokens (`account`, `control_account`): never read.
  tables: ['project', 'session', 'message', 'part', 'todo'],
  detect: detectOpenCode,
  logsInFolder,
  sessionFiles,
  companions,
  sessions: async (records) => (await import('./read.ts')).listOpenCodeSessions(records),
  read: async (records, out) => (await import('./read.ts')).readOpenCode(records, out),
}

const idPattern = /^(?:ses|msg)_[A-Za-z0-9]{1,64}$/
const maxBytes = 64 * 1024 * 1024

/**
 * The sessions that were not started by another one, oldest first, in the older store
 * `storage/session/<project>/*.json`; otherwise the database. `folder` is `storage`, or the folder that contains it.
 */
async function logsInFolder(folder: string): Promise<readonly string[]> {
  for (const storage of [folder, join(folder, 'storage')]) {
    const roots = (await infosIn(storage)).filter(({ info }) => asText(info.parentID) === undefined)
    if (roots.length > 0) return roots.map(({ path }) => path)
  }
  return await filesNamed(folder, /^opencode\.db$/)
}

async function infosIn(storage: string): Promise<{ path: string; info: JsonObject }[]> {
  const found: { path: string; info: JsonObject }[] = []
  const root = join(storage, 'session')
  for (const project of (await namesIn(root)).folders) {
    for (const path of await filesNamed(join(root, project), /^ses_.*\.json$/)) {
      const info = await readJson(path)
      if (info !== undefined && kindOf(info) === 'session') found.push({ path, info })
    }
  }
  const createdOf = (info: JsonObject): number => asNumber(asObject(info.time)?.created) ?? 0
  return found.sort((a, b) => createdOf(a.info) - createdOf(b.info))
}

/** A file of the store as JSON, or `undefined` if it is missing or not JSON. Reading the log reports its own faults. */
async function readJson(path: string): Promise<JsonObject | undefined> {
  const bytes = await readRegularFile(path, { maxBytes }).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error
    return Buffer.alloc(0)
  })
  return asObject(parseJson(bytes.toString('utf8')))
}

/**
 * Files that belong to a session: its messages and parts in the older store, those of its child sessions, and the
 * exports of child sessions next to an export.
 */
async function sessionFiles(path: string, { document }: LogHead): Promise<readonly string[]> {
  const kind = kindOf(document)
  if (kind === 'export') return await exportsOfChildren(path, asObject(document))
  if (kind !== 'session') return []
  const storage = dirname(dirname(dirname(path)))
  const infos = await infosIn(storage)
  const files: string[] = []
  const wanted = [asText(asObject(document)?.id) ?? '']
  for (const id of wanted) {
    if (!idPattern.test(id)) continue
    files.push(...(await messagesOf(storage, id)))
    for (const child of infos) {
      const childId = asText(child.info.id)
      if (asText(child.info.parentID) !== id || childId === undefined || wanted.includes(childId)) continue
      files.push(child.path)
      wanted.push(childId)
    }
  }
  return files
}

/** The older store's other folders with data about a session and its project. */
function companions(path: string): readonly string[] {
  const project = dirname(path)
  const storage = dirname(dirname(project))
  if (basename(dirname(project)) !== 'session') return []
  const folders = ['session_diff', 'session_share', 'todo']
  return [
    ...folders.map((folder) => join(storage, folder, basename(path))),
    join(storage, 'project', `${basename(project)}.json`),
  ]
}

async function messagesOf(storage: string, session: string): Promise<string[]> {
  const files: string[] = []
  for (const path of await filesNamed(
    join(storage, 'message', session),
    /^(?:ses|msg)_[A-Za-z0-9]{1,64}\.json$/,
  ))
    files.push(path, ...(await filesNamed(join(storage, 'part', basename(path, '.json')), /\.json$/)))
  return files
}

async function exportsOfChildren(path: string, record: JsonObject | undefined): Promise<string[]> {
  const ids = asList(record?.messages)
    .flatMap((message) => asList(asObject(message)?.parts))
    .map((part) => asText(asObject(asObject(asObject(part)?.state)?.metadata)?.sessionId))
  const named = [...new Set(ids)].filter((id): id is string => id !== undefined && idPattern.test(id))
  if (named.length === 0) return []
  const files = await packedFilesIn(dirname(path))
  return named
    .map((id) => `${id}.json`)
    .filter((name) => name !== unpackedName(basename(path)))
    .flatMap((name) => files.get(name) ?? [])
}
