import { basename, dirname, join } from 'node:path'
import { unpackedName } from '../log/packed-name.ts'
import { namesIn, packedFilesIn, startOfFile } from '../shared/folder-files.ts'

/** Transcripts of subagents: `subagents/*.jsonl` next to the transcript. */
export async function subagentTranscripts(path: string): Promise<readonly string[]> {
  if (!/\.(?:jsonl|txt)$/.test(unpackedName(path)) || basename(dirname(path)) === 'subagents') return []
  const files = await packedFilesIn(join(dirname(path), 'subagents'))
  return [...files].filter(([name]) => name.endsWith('.jsonl')).map(([, file]) => file)
}

/** The folder of a transcript that has its own, or the settings beside the editor's database. */
export function companionsOf(path: string): readonly string[] {
  const folder = dirname(path)
  if (basename(path) === 'state.vscdb') return [`${path}.options.json`, join(folder, 'storage.json')]
  return basename(path).replace(/\.(?:jsonl|txt)$/, '') === basename(folder) ? [folder] : []
}

/** The transcripts in a folder `agent-transcripts`: `<id>.jsonl`, `<id>.txt`, or each in its own folder. */
export async function transcriptsInFolder(folder: string): Promise<readonly string[]> {
  const { files, folders } = await namesIn(folder)
  const found: string[] = []
  for (const name of files) {
    if (isNamed(name) && (await isTranscript(join(folder, name)))) found.push(join(folder, name))
  }
  for (const name of folders) {
    if (!isNamed(`${name}.txt`)) continue
    const inner = (await namesIn(join(folder, name))).files.find(
      (file) => file === `${name}.jsonl` || file === `${name}.txt`,
    )
    if (inner !== undefined && (await isTranscript(join(folder, name, inner))))
      found.push(join(folder, name, inner))
  }
  return found
}

function isNamed(name: string): boolean {
  return /^[\da-f]{8}-[\da-f-]{20,40}\.(?:jsonl|txt)$/.test(name)
}

async function isTranscript(path: string): Promise<boolean> {
  const start = await startOfFile(path, 200)
  return /^\s*(?:\{"role":\s*"(?:user|assistant)",\s*"message":|user:\r?\n)/.test(start)
}
