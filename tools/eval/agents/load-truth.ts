import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** What an agent's session really did, from a manifest: the numbers that a reader must find in its log. */
export interface SessionTruth {
  /** Name for the table. */
  readonly name: string
  readonly agent: string
  /** Path of the log, with `#ID` if it holds several sessions. */
  readonly path: string
  /** The log belongs to a subagent of another one. */
  readonly isSubagent: boolean
  /** What the user typed. */
  readonly prompts: readonly string[]
  readonly calls: readonly CallTruth[]
  /** Paths that the session created, relative to its folder. */
  readonly files: readonly string[]
  readonly usage?: UsageTruth
  /** Number of subagents of which the session must hold events. */
  readonly subagents: number
}

export interface CallTruth {
  readonly id: string
  readonly tool: string
  readonly command?: string
  readonly status?: string
  readonly exitCode?: number
  /** History of another session. */
  readonly copied: boolean
  /** The subagent that made the call in the log of its parent. */
  readonly by?: string
  /** The calls that this one carried out itself, such as those of a script. */
  readonly inner: readonly { readonly command?: string; readonly exitCode?: number }[]
}

/** Sums over all requests of the session: input with cache, output with reasoning. */
interface UsageTruth {
  readonly input: number
  readonly output: number
  /** Requests of compactions, which some agents record. */
  readonly compactions?: UsageTruth
}

type Fields = Readonly<Record<string, unknown>>

/** Reads `manifest.json` of a folder: `{files: [{file, agent, version, of, truth}]}`. Throws Error for anything else. */
export async function loadTruth(folder: string): Promise<SessionTruth[]> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
  const { files } = fields(manifest)
  if (!Array.isArray(files)) throw new Error(`${folder}: expected a manifest.json with a list "files"`)
  const truths: SessionTruth[] = []
  for (const entry of files.map(fields)) {
    if (entry.truth === undefined) continue
    const { sessions } = fields(entry.truth)
    const path = await unpackedPath(join(folder, text(entry.file)))
    if (sessions === undefined) truths.push(truthOf(entry, fields(entry.truth), path, ''))
    else
      for (const [id, truth] of Object.entries(fields(sessions)))
        truths.push(truthOf(entry, fields(truth), `${path}#${id}`, `#${id.slice(0, 12)}`))
  }
  return truths
}

/** The path without `.gz`, if the folder holds the log unpacked. */
async function unpackedPath(path: string): Promise<string> {
  const unpacked = path.replace(/\.gz$/, '')
  return (await stat(unpacked).catch(() => undefined)) === undefined ? path : unpacked
}

function truthOf(entry: Fields, truth: Fields, path: string, part: string): SessionTruth {
  const parts = text(entry.file)
    .replace(/\.(?:jsonl|json|db)(?:\.gz)?$/, '')
    .split('/')
  const file = parts.at(-1) === 'events' ? (parts.at(-2) ?? '') : (parts.at(-1) ?? '')
  const version = text(entry.version)
  const own = usageOf(fields(truth.usage), text(entry.agent))
  const compactions = usageOf(fields(truth.usage_of_compactions), text(entry.agent))
  const usage = own === undefined || compactions === undefined ? own : { ...own, compactions }
  return {
    name: `${text(entry.agent)} ${version} …${file.slice(-16)}${part}`,
    agent: text(entry.agent),
    path,
    isSubagent: entry.of !== undefined || truth.parent !== undefined || /subagent/.test(text(entry.how)),
    prompts: [entry.prompts, truth.prompts].flatMap((texts) =>
      Array.isArray(texts) ? texts.map(typed) : [],
    ),
    calls: list(truth.tool_calls).map(callOf),
    files: list(truth.files).map(({ path: file }) => text(file)),
    ...(usage !== undefined && { usage }),
    // A manifest may name the subagent of a call only.
    subagents: Math.max(
      list(truth.subagents).length,
      list(truth.tool_calls).filter(({ subagent }) => subagent !== undefined).length,
    ),
  }
}

function callOf(call: Fields): CallTruth {
  return {
    id: text(call.id),
    tool: text(call.tool),
    copied: call.copied === true,
    inner: list(call.items).flatMap((item) =>
      item.item === 'SubAgentActivity' ? [] : [{ ...commandOf(item), ...exitOf(item) }],
    ),
    ...commandOf(call),
    ...exitOf(call),
    ...(typeof call.status === 'string' && { status: call.status }),
    ...(typeof call.by === 'string' && { by: call.by }),
  }
}

const commandOf = ({ command }: Fields) => (typeof command === 'string' ? { command } : {})
const exitOf = ({ exit_code: exitCode }: Fields) => (typeof exitCode === 'number' ? { exitCode } : {})

/** The manifest has the numbers of the wire: Anthropic counts the cache apart, Gemini the reasoning. */
function usageOf(usage: Fields, agent: string): UsageTruth | undefined {
  if (usage.input === undefined) return undefined
  const { input, output, cache_read, cache_write, reasoning } = usage
  const thoughts = agent === 'gemini-cli' ? number(reasoning) : 0
  return {
    input: number(input) + number(cache_read) + number(cache_write),
    output: number(output) + thoughts,
  }
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fields) : []
}

/** Cline puts a tag around what was typed. */
function typed(value: unknown): string {
  return text(value).replace(/^<user_input[^>]*>([\s\S]*)<\/user_input>$/, '$1')
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
