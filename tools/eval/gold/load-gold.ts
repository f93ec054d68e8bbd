import { access, readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** Labels of a session: what a handover must hold, according to a person who read all of it. */
export interface Gold {
  readonly name: string
  /** Path of the log below the folder of logs. */
  readonly log: string
  readonly state: string
  readonly resume: {
    readonly action: string
    readonly command: string
    readonly alsoRight: readonly string[]
    readonly wrong: readonly string[]
  }
  readonly constraints: readonly { readonly quote: string; readonly status: string }[]
  readonly notConstraints: readonly { readonly quote: string }[]
  readonly projectRules: readonly { readonly quote: string }[]
  readonly decisions: readonly { readonly choice: string; readonly quote: string; readonly by: string }[]
  readonly openProblems: readonly { readonly text: string; readonly quote: string }[]
  readonly solvedProblems: readonly { readonly quote: string }[]
  /** Undefined if the session ran no check. */
  readonly lastCheck?: { readonly result: string; readonly stillValid: boolean }
  readonly uncommitted: readonly string[]
  readonly files: readonly { readonly path: string }[]
}

/** A labelled session and the path of its log. */
export interface LabelledLog {
  readonly gold: Gold
  readonly path: string
}

/**
 * Reads the labelled sessions of a folder, sorted by name, and finds their logs, packed or not, below `logs`. Throws
 * TypeError that names the faulty file and field.
 */
export async function loadGold(
  folder: string,
  logs = join(resolve(folder), '../../corpus'),
): Promise<LabelledLog[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()
  if (names.length === 0) throw new TypeError(`no labelled sessions in ${folder}`)
  return Promise.all(
    names.map(async (name) => {
      try {
        const value: unknown = JSON.parse(await readFile(join(folder, name), 'utf8'))
        const gold = parseGold(name.slice(0, -'.json'.length), value)
        return { gold, path: await findLog(gold.log, logs) }
      } catch (error) {
        throw new TypeError(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }),
  )
}

/** Path of a labelled log below a folder, packed or not. Throws TypeError if it is missing. */
async function findLog(log: string, logs: string): Promise<string> {
  const path = join(logs, log)
  for (const candidate of [path, `${path}.gz`]) {
    if (await exists(candidate)) return candidate
  }
  throw new TypeError(`${log}: expected it in ${logs}, packed or not; --logs names another folder`)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Checks one labelled session. Throws TypeError that names the faulty field. */
export function parseGold(name: string, value: unknown): Gold {
  const resume = fieldOf(value, 'resume')
  const check = fieldOf(value, 'lastCheck')
  return {
    name,
    log: text(value, 'log'),
    state: text(value, 'state'),
    resume: {
      action: text(resume, 'action'),
      command: optionalText(resume, 'command'),
      alsoRight: list(resume, 'alsoRight').map((item) => textItem(item, 'alsoRight')),
      wrong: list(resume, 'wrong').map((item) => textItem(item, 'wrong')),
    },
    constraints: list(value, 'constraints').map((item) => ({
      quote: text(item, 'quote'),
      status: text(item, 'status'),
    })),
    notConstraints: quotes(value, 'notConstraints'),
    projectRules: quotes(value, 'projectRules'),
    decisions: list(value, 'decisions').map((item) => ({
      choice: text(item, 'choice'),
      quote: text(item, 'quote'),
      by: optionalText(item, 'by'),
    })),
    openProblems: list(value, 'openProblems').map((item) => ({
      text: text(item, 'text'),
      quote: text(item, 'quote'),
    })),
    solvedProblems: quotes(value, 'solvedProblems'),
    ...(check === undefined || check === null
      ? {}
      : { lastCheck: { result: text(check, 'result'), stillValid: fieldOf(check, 'stillValid') !== false } }),
    uncommitted: list(fieldOf(value, 'workTree'), 'uncommitted').map((item) => textItem(item, 'uncommitted')),
    files: list(value, 'files').map((item) => ({ path: text(item, 'path') })),
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function text(value: unknown, name: string): string {
  return textItem(fieldOf(value, name), name)
}

function optionalText(value: unknown, name: string): string {
  const field = fieldOf(value, name)
  return field === undefined || field === null ? '' : textItem(field, name)
}

function textItem(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new TypeError(`${name}: expected a string, got ${typeof value}`)
  return value
}

function list(value: unknown, name: string): unknown[] {
  const field = fieldOf(value, name)
  if (field === undefined || field === null) return []
  if (!Array.isArray(field)) throw new TypeError(`${name}: expected a list, got ${typeof field}`)
  return field
}

function quotes(value: unknown, name: string): { quote: string }[] {
  return list(value, name).map((item) => ({ quote: text(item, 'quote') }))
}
