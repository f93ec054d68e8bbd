import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import { writeResult, writeUser } from './messages/conversation.ts'
import type { Reader } from './reader/reader.ts'
import { usageIn } from './shared/usage.ts'
import { outputText, timeOfEpoch } from './shared/values.ts'
import { createWriter, type Writer } from './shared/writer.ts'

/**
 * Reads prompt logs of orchestrators, such as `prompts.log.jsonl`: one run of an agent per line, with `prompt` and its
 * results, `response`, `stdout`, `stderr`, `exitCode`, `durationMs`; or a line of type `PROMPT` and one of type
 * `RESPONSE`, with `content` and `metadata`. Keys may be in any case, with `_` or `-`.
 */
export const promptLogReader: Reader = {
  name: 'prompt-log',
  framing: ({ document, records }) => (document === undefined || records.length > 0 ? 'lines' : 'document'),
  detect({ records, document }) {
    const list =
      records.length > 0 && !Array.isArray(records[0]) ? records : json.list(document ?? records[0])
    const entries = list.slice(0, 50).map(entryOf)
    const runs = entries.filter((entry) => isRun(entry) || partOf(entry) !== undefined)
    const prompted = runs.some((entry) => isRun(entry) || partOf(entry)?.is === 'prompt')
    return prompted && runs.length > entries.length / 2 ? 0.85 : 0
  },
  async read(records, out) {
    const writer = createWriter(out)
    const others = new Map<string, Writer>()
    const writerOf = (agent: string): Writer => {
      const found = others.get(agent) ?? createWriter(out, agent, writer)
      others.set(agent, found)
      return found
    }
    for await (const { value } of records) {
      for (const item of Array.isArray(value) && value.length > 0 ? value : [value]) {
        const entry = entryOf(item)
        const part = partOf(entry)
        if (isRun(entry)) readRun(writer, entry)
        else if (part !== undefined)
          readPart(/\bagent$/.test(part.purpose) ? writerOf(part.purpose) : writer, entry, part)
        else writer.other(item, json.text(entry.get('type')))
      }
    }
  },
}

const outcomes = 'response reply completion stdout stderr exitcode exitstatus returncode code'.split(' ')

type Entry = ReadonlyMap<string, unknown>

/** Returns the fields of a line and of its `metadata` by name in lower case, without `_` and `-`. */
function entryOf(value: unknown): Entry {
  const object = json.fields(value)
  const fields = [...Object.entries(json.fields(object.metadata)), ...Object.entries(object)]
  return new Map(fields.map(([key, field]) => [key.toLowerCase().replaceAll(/[-_ ]/g, ''), field]))
}

function isRun(entry: Entry): boolean {
  const prompt = entry.get('prompt')
  return (typeof prompt === 'string' || Array.isArray(prompt)) && outcomes.some((name) => entry.has(name))
}

interface Part {
  readonly is: 'prompt' | 'response'
  /** Prefix of the line's type: `interrogation`, `fix`, `helper-agent`; empty for the task itself. */
  readonly purpose: string
  readonly text: string
}

function partOf(entry: Entry): Part | undefined {
  const [, purpose = '', is] =
    /^((?:[a-z]+[_-])*)(prompt|response)$/.exec(json.text(entry.get('type'))?.toLowerCase() ?? '') ?? []
  const text = first(entry, 'content', 'text', is ?? '')
  if ((is !== 'prompt' && is !== 'response') || (typeof text !== 'string' && !Array.isArray(text)))
    return undefined
  return { is, purpose: purpose.slice(0, -1).replaceAll('_', '-'), text: outputText(text).text }
}

function first(entry: Entry, ...names: readonly string[]): unknown {
  return names.map((name) => entry.get(name)).find((value) => value !== undefined && value !== null)
}

const programs = /^(?:agent|assistant|system|orchestrator|supervisor|program|tool|subagent)$/i

function readPart(writer: Writer, entry: Entry, { is, purpose, text }: Part): void {
  describeRun(writer, entry)
  if (entry.get('truncated') === true) {
    const length = json.count(entry.get('originallength'))
    const before = length === undefined ? '' : `; it had ${length} characters`
    writer.out.note('cut-text', `the orchestrator cut this ${is}${before}`)
  }
  if (is === 'response') {
    readOutcome(writer, entry, text)
    writer.say(text)
    addUsage(writer, entry)
  } else if (purpose !== '' && writer.agent === 'main')
    writer.write({ type: 'context', origin: 'agent', name: purpose, text })
  else writeUser(writer, [text])
}

function readRun(writer: Writer, entry: Entry): void {
  describeRun(writer, entry)
  const prompt = outputText(entry.get('prompt')).text
  const by = json.text(first(entry, 'source', 'origin', 'role', 'author', 'by'))
  if (by !== undefined && programs.test(by))
    writer.write({ type: 'context', origin: 'agent', name: by, text: prompt })
  else writeUser(writer, [prompt])
  const response = first(entry, 'response', 'reply', 'completion')
  const { text } = outputText(response)
  readOutcome(writer, entry, text)
  if (response !== undefined) writer.say(text)
  addUsage(writer, entry)
  writer.out.absorb('empty run')
}

function describeRun(writer: Writer, entry: Entry): void {
  const when = first(entry, 'timestamp', 'time', 'ts', 'startedat', 'createdat', 'date')
  writer.time = json.text(when) ?? timeOfEpoch(when)
  writer.model = json.text(entry.get('model'))
  const cwd = json.text(first(entry, 'cwd', 'workingdirectory', 'workdir'))
  writer.out.meta({ cwd, id: json.text(first(entry, 'sessionid', 'runid', 'conversationid')) })
}

function readOutcome(writer: Writer, entry: Entry, response: string): void {
  const [stdout, stderr] = [outputText(entry.get('stdout')).text, outputText(entry.get('stderr')).text]
  const error = first(entry, 'error', 'errormessage')
  const exitCode = json.number(first(entry, 'exitcode', 'exitstatus', 'returncode', 'code'))
  const hasOutcome = [stdout, stderr, error, exitCode].some((value) => value !== undefined && value !== '')
  if (!hasOutcome) return
  const duration_ms = json.number(first(entry, 'durationms', 'duration', 'elapsedms', 'elapsed'))
  const mode = first(entry, 'mode', 'agentmode')
  const input = known<json.Fields>({ command: first(entry, 'command', 'cmd', 'args'), mode, duration_ms })
  const isEmpty = Object.keys(input).length === 0
  const call = writer.call({ name: 'run', input: isEmpty ? null : input })
  const printed = stdout.trim() === response.trim() ? '' : stdout
  const words = error === undefined ? '' : outputText(error).text
  const text = [printed, stderr, words].filter((part) => part !== '').join('\n')
  const late = first(entry, 'timedout', 'cancelled', 'canceled', 'aborted', 'killed') === true
  const failed = exitCode === undefined ? words !== '' : exitCode !== 0
  writeResult(writer, call, undefined, {
    status: late ? 'cancelled' : failed ? 'error' : 'ok',
    text,
    exitCode: Number.isSafeInteger(exitCode) ? exitCode : undefined,
  })
}

function addUsage(writer: Writer, entry: Entry): void {
  const usage = entryOf(first(entry, 'usage', 'tokenusage', 'tokens') ?? Object.fromEntries(entry))
  writer.answer(undefined, usageIn(Object.fromEntries(usage), 'prompt-log'))
}
