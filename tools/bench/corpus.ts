import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** Paths of the JSONL logs below a folder, sorted; logs of subagents are part of the log next to them. */
export async function logsBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  return names
    .filter((name) => name.endsWith('.jsonl') && !/(^|[\\/])subagents[\\/]/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

/** Writes logs of about `megabytes` each: the given ones, in turn, repeated with fresh ids until they are that long. */
export async function writeCorpus(
  logs: readonly string[],
  folder: string,
  { files, megabytes }: { readonly files: number; readonly megabytes: number },
): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const paths: string[] = []
  for (let number = 0; number < files; number++) {
    const log = logs[number % logs.length]
    if (log === undefined) throw new TypeError('expected at least one log')
    const path = join(folder, `${String(number + 1).padStart(2, '0')}-${basename(log)}`)
    await writeFile(path, repeated(await readFile(log, 'utf8'), megabytes * 1e6, number))
    paths.push(path)
  }
  return paths
}

/** The log, repeated with fresh ids, so that no record counts as a duplicate of another. */
function repeated(log: string, bytes: number, seed: number): string {
  const lines = log.trimEnd().split('\n')
  const session = /"(?:sessionId|session_id)":"([^"]+)"/.exec(log)?.[1]
  const again = lines.filter((line) => !/"type":"(session_meta|summary)"/.test(line)).join('\n')
  const parts = [lines.join('\n')]
  for (let size = log.length, round = 1; size < bytes; size += again.length, round++)
    parts.push(withFreshIds(again, `${seed.toString(16)}${round.toString(16).padStart(5, '0')}`, session))
  return `${parts.join('\n')}\n`
}

function withFreshIds(text: string, suffix: string, session: string | undefined): string {
  return text
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (id) =>
      id === session ? id : `${id.slice(0, -6)}${suffix.slice(-6)}`,
    )
    .replaceAll(/\b(?:msg|toolu|req|call|fc|rs)_[A-Za-z0-9]+/g, (id) => `${id}${suffix}`)
}
