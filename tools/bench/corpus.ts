import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** Paths of the JSONL logs below a folder, sorted; logs of subagents are part of the log next to them. */
export async function logsBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  return names
    .filter((name) => name.endsWith('.jsonl') && !/(^|[\\/])subagents[\\/]/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

/**
 * Writes logs of about `megabytes` each: the given ones that are no longer, otherwise the shortest, in turn, repeated
 * with fresh ids until they are that long.
 */
export async function writeCorpus(
  logs: readonly string[],
  folder: string,
  { files, megabytes }: { readonly files: number; readonly megabytes: number },
): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const paths: string[] = []
  const chosen = await noLongerThan(megabytes * 1e6, logs)
  for (let number = 0; number < files; number++) {
    const log = chosen[number % chosen.length]
    if (log === undefined) throw new TypeError('expected at least one log')
    const path = join(folder, `${String(number + 1).padStart(2, '0')}-${basename(log)}`)
    await writeFile(path, repeated(await readFile(log, 'utf8'), megabytes * 1e6, number))
    paths.push(path)
  }
  return paths
}

/** Writes one log of about `megabytes`: the given one, repeated with fresh ids. It may be larger than a text can be. */
export async function writeLongLog(log: string, path: string, megabytes: number): Promise<string> {
  const piece = repeated(await readFile(log, 'utf8'), 0, 0)
  const more = Math.round((megabytes * 1e6) / piece.length) - 1
  const file = await open(path, 'w')
  try {
    await file.writeFile(piece)
    for (let round = 1; round <= more; round++)
      await file.writeFile(`${again(piece, round.toString(16).padStart(6, '0'))}\n`)
  } finally {
    await file.close()
  }
  return path
}

async function noLongerThan(bytes: number, logs: readonly string[]): Promise<string[]> {
  const sized = await Promise.all(logs.map(async (log) => ({ log, size: (await stat(log)).size })))
  sized.sort((a, b) => a.size - b.size)
  const fitting = sized.filter(({ size }) => size <= bytes).map(({ log }) => log)
  return fitting.length > 0 ? fitting.sort() : sized.slice(0, 1).map(({ log }) => log)
}

/** Writes logs of mixed size, from a fiftieth of `megabytes` to that: parts of the given ones, or repeated ones. */
export async function writeMixed(
  logs: readonly string[],
  folder: string,
  { files, megabytes }: { readonly files: number; readonly megabytes: number },
): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const texts = await Promise.all(logs.map((log) => readFile(log, 'utf8')))
  const paths: string[] = []
  for (let number = 0; number < files; number++) {
    const text = texts[number % texts.length]
    if (text === undefined) throw new TypeError('expected at least one log')
    // Large and small ones alternate, as in a folder sorted by name.
    const step = (number * 77) % files
    const bytes = megabytes * 1e6 * 50 ** (step / files - 1)
    const path = join(folder, `${String(number + 1).padStart(3, '0')}.jsonl`)
    await writeFile(path, cutAtLine(repeated(text, bytes, number), bytes))
    paths.push(path)
  }
  return paths
}

function cutAtLine(text: string, bytes: number): string {
  const end = text.indexOf('\n', bytes)
  return end === -1 ? text : text.slice(0, end + 1)
}

/** The log, repeated with fresh ids, so that no record counts as a duplicate of another. */
function repeated(log: string, bytes: number, seed: number): string {
  const parts = [log.trimEnd()]
  for (let size = log.length, round = 1; size < bytes; round++) {
    const part = again(log, `${seed.toString(16)}${round.toString(16).padStart(5, '0')}`)
    parts.push(part)
    size += part.length
  }
  return `${parts.join('\n')}\n`
}

/** The records of a log, without those that describe the session, under fresh ids. */
function again(log: string, suffix: string): string {
  const session = /"(?:sessionId|session_id)":"([^"]+)"/.exec(log)?.[1]
  const lines = log.trimEnd().split('\n')
  const records = lines.filter((line) => !/"type":"(session_meta|summary)"/.test(line))
  return withFreshIds(records.join('\n'), suffix, session)
}

function withFreshIds(text: string, suffix: string, session: string | undefined): string {
  return text
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (id) =>
      id === session ? id : `${id.slice(0, -6)}${suffix.slice(-6)}`,
    )
    .replaceAll(/\b(?:msg|toolu|req|call|fc|rs)_[A-Za-z0-9]+/g, (id) => `${id}${suffix}`)
}
