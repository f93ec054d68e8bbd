import { type RecallAllOptions, recall, recallAll, recalledToText, TenfoldError } from '@tenfold/core'
import { cleanText, eventTypes } from '@tenfold/core/internal'
import { makeRedactors, redactOptions } from '../options/log-options.ts'
import { option, optionOf, type ValuesOf } from '../options/option.ts'
import {
  bundleNames,
  madeSinceOption,
  maxLogSizeOption,
  storeOption,
  taskOption,
  trackOption,
} from '../options/options.ts'
import { bad, listOf, notEmpty, oneOf, wholeNumber } from '../options/parsers.ts'
import { findBundle } from '../store/find-bundle.ts'
import { openStore, usualTrack } from '../store/open-store.ts'
import { warnOfOrigin } from '../store/shown-origin.ts'
import { countProgress } from '../terminal/progress.ts'
import { type CommandContext, exitCodes, toSafeJson } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const options = [
  storeOption,
  trackOption('track whose sessions to search (default: as for resume)'),
  option('--bundle <bundle>', `search only the log of this bundle: ${bundleNames}`),
  option('--all', 'search the sessions of all tracks', { conflicts: 'bundle' }),
  taskOption('only bundles of this task'),
  madeSinceOption,
  option(
    '--event <ids>',
    'only these events of the newest bundle, or of --bundle: e17, e10-e20, or several separated by commas',
  ),
  option('--kind <kind>', `only events of this kind (${eventTypes.join(', ')}); may be repeated`, {
    parse: listOf(oneOf(eventTypes)),
  }),
  option('--agent <id>', 'only events of this agent', { parse: notEmpty('an agent') }),
  option('--tool <name>', 'only calls of this tool and their results', { parse: notEmpty('a tool') }),
  option('--path <path>', 'only events that name this file or folder; the end of its path is enough', {
    parse: notEmpty('a path'),
  }),
  option('--turns <range>', 'only these turns: 3, 3-7, 3- or -7', { parse: parseTurns }),
  option('--exact', 'only events that contain the query literally, ignoring case'),
  option('--context <n>', 'number of events of the same agent to show before and after a hit', {
    parse: wholeNumber(0, 20),
    default: 0,
  }),
  option('--limit <n>', 'maximum number of hits', { parse: wholeNumber(1), default: 10 }),
  option('--max-tokens <n>', 'maximum tokens of the output', { parse: wholeNumber(200), default: 2000 }),
  maxLogSizeOption,
  optionOf<{ readonly fallback: boolean }>(
    '--no-fallback',
    'fail if the log is missing, instead of searching the bundle itself',
  ),
  option('--json', 'print one JSON object: query, hits, matched, exact, logs, searched, unsearched, notes'),
  ...redactOptions,
] as const

type RecallOptions = Omit<ValuesOf<typeof options>, 'bundle'> & { readonly bundle?: string | undefined }

export const addCommand = defineCommand({
  name: 'recall',
  description:
    'Search the complete logs of past sessions: exact texts first, then all words and names, then some.',
  arguments: [
    [
      '[words...]',
      'what to search for; the first word may name the bundle: LATEST, or an id or its beginning',
    ],
  ],
  options,
  help: `
Examples:
  tenfold recall ECONNREFUSED 127.0.0.1:6379  has this been seen before?
  tenfold recall 20260304T0506 src/store/latest.ts --kind tool_call
  tenfold recall --event e17 --context 2      an event with its neighbours, as far as they fit
  tenfold recall '"no such file" latest'      text in quotes must occur
  tenfold recall --all --exact "TypeError: x is not a function"
  tenfold recall -- --no-verify               a query that begins with "-"

Exit codes: 0 found, 1 no match (as in grep) or a failed log (with an "error:" on stderr).`,
  fault(given, words) {
    const { event, kind, agent, tool, path, turns, task, since } = given
    const { bundle, query } = split(words, given)
    if (query.trim() === '' && (event ?? kind ?? agent ?? tool ?? path ?? turns) === undefined)
      return 'expected words to search for, or at least one of --event, --kind, --agent, --tool, --path and --turns'
    if (bundle !== undefined && (task ?? since) !== undefined)
      return 'a bundle cannot be used with --task or --since'
    return undefined
  },
  async run(given, context, words) {
    const { bundle, query } = split(words, given)
    const recalled = await search(query, { ...given, bundle }, context).catch((error: unknown) => {
      if (TenfoldError.isInstance(error) && error.code === 'bad-query') context.refuse(error.message)
      throw error
    })
    const found = recalled.matched > 0
    const hint = found || given.all ? '' : 'To search the sessions of all tracks, add --all.\n'
    const text = given.json ? `${toSafeJson(recalled)}\n` : `${cleanText(recalledToText(recalled))}${hint}`
    await warnOfOrigin(context.terminal, await openStore(given.store, context.terminal), given.store, text)
    context.terminal.write(text)
    return found ? exitCodes.done : exitCodes.failed
  },
})

function split(words: readonly string[], { bundle, all }: RecallOptions) {
  const [first = ''] = words
  const isBundle = bundle === undefined && !all && (first === 'LATEST' || /^\d{8}T[\dZ-]*$/.test(first))
  return isBundle ? { bundle: first, query: words.slice(1).join(' ') } : { bundle, query: words.join(' ') }
}

async function search(query: string, options: RecallOptions, { terminal, signal }: CommandContext) {
  const { agent, tool, path, turns, limit, maxTokens, context, fallback, track, task, since } = options
  const asked: RecallAllOptions = {
    ...{ agent, tool, path, turns, limit, maxTokens, context, fallback, signal },
    events: options.event,
    kinds: options.kind,
    exact: options.exact ?? false,
    maxLogBytes: options.maxLogSize,
    redactors: await makeRedactors(options),
  }
  const store = await openStore(options.store, terminal)
  if (options.bundle !== undefined) {
    const bundle = await findBundle(options.bundle, { store, track: track ?? 'main', terminal })
    return await recall(store, query, { ...asked, bundle })
  }
  const progress = countProgress(terminal)
  const onLog = (done: number, of: number): void => progress('searching logs', done, of)
  if (options.all) return await recallAll(store, query, { ...asked, filter: { track, task, since }, onLog })
  const searched = track ?? (await usualTrack(store, { otherwise: true }))
  return await recall(store, query, { ...asked, track: searched, filter: { task, since }, onLog })
}

function parseTurns(value: string): RecallAllOptions['turns'] {
  const [, from = '', dash, to = ''] = /^(\d{0,9})(-)?(\d{0,9})$/.exec(value) ?? []
  if (from + to === '' || (from !== '' && to !== '' && Number(to) < Number(from)))
    throw bad('turns such as 3, 3-7, 3- or -7', value)
  if (dash === undefined) return { from: Number(from), to: Number(from) }
  return { ...(from !== '' && { from: Number(from) }), ...(to !== '' && { to: Number(to) }) }
}
