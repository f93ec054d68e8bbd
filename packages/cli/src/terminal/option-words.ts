const anotherStore = 'use another folder (--store DIR or TENFOLD_STORE)'

/** How library messages name an option or a function, and its name on the command line; longer phrases come first. */
const words: readonly (readonly [library: RegExp, command: string])[] = [
  [/,? or pass apiKey\b/g, ''],
  [/(?: \(|; )idleTimeoutMs\b[^;)]*\)?/g, ''],
  [/\(option format\)/g, '(--format)'],
  [/\(option maxLogBytes\)/g, '(--max-log-size)'],
  [/\(option maxLogMs\)/g, '(--log-time)'],
  [/\(option maxLogMegabytes\)/g, '(--log-memory)'],
  [/\(option allowLogs\)/g, '(--allow-logs)'],
  [/\(option allowStores\)/g, '(--allow-store)'],
  [/\(option readers\)/g, '(--reader)'],
  [/\(option redis\)/g, '(--redis)'],
  [/\(option track\)/g, '(--track)'],
  [/\bCompress a log first\./g, 'Compress a session first: tenfold compress.'],
  [/(?<!\w)fs:(?=\/|[A-Za-z]:[\\/])/g, ''],
  [/\bcheck the owner and the mode of the folder\b/g, `$&, or ${anotherStore}`],
  [/\bset another folder\b/g, anotherStore],
  [/\bset a folder (?=that is on one file system|with a shorter path)/g, `${anotherStore}, `],
  [/\buse a key that is not below another key\b/g, anotherStore],
  [/\binto a store with an archive\./g, 'without --no-archive.'],
  [/\blist them with listDumps\./g, 'list them with tenfold dump list.'],
  [/\bimport it with importDump\b/g, 'import it with tenfold import'],
  [/\band maxInputTokens, of\b/g, 'and --max-request-tokens, of'],
  [/\bone with prices\b/g, 'one with --prices'],
  [/\ba summarizer that calls (?:none|no model)\b/g, '--summarizer extractive'],
  [/(?:idleTimeoutMs and )?timeoutMs (set how long|sets the limit|allows)/g, '--timeout $1'],
  [/\bmaxCost\b/g, '--max-cost'],
  [/\bmaxInputTokens\b/g, '--max-input-tokens'],
  [/\bmaxOutputTokens\b/g, '--max-output-tokens'],
  [/\bcontextWindow\b/g, '--context-window'],
  [/\bnumCtx\b/g, '--context-window'],
  [/\bbaseURL\b/g, '--base-url'],
  [/\bmaxRatio\b/g, '--max-ratio'],
  [/\bminRatio\b/g, '--min-ratio'],
  [/\bmaxTokens\b/g, '--max-tokens'],
  [/\bminSourceTokens\b/g, '--min-source-tokens'],
  [/\bmaxReadRatio\b/g, '--max-read-ratio'],
  [/\bresubmitUncertain\b/g, '--resubmit-uncertain'],
]

/** Rewrites a message of the library in terms of the command line: `--max-cost`, not `maxCost`. */
export function inCommandWords(message: string): string {
  return words.reduce((text, [library, command]) => text.replace(library, command), message)
}
