import type { ContextBundle } from '@tenfold/core'
import { eventIndex, summarySections } from '@tenfold/core/internal'
import type { Labelled, PageBundle, PageSection, PageStatement } from './browser/page-data.ts'

interface Given {
  readonly from: PageBundle['from']
  /** Number of events before those of the bundle's log. */
  readonly before: number
}

/**
 * The data of a bundle for the page: statements with their evidence. A bundle that passed its schema contains only
 * clean text.
 */
export function pageBundle(bundle: ContextBundle, { from, before }: Given): PageBundle {
  const { id, kind, track, createdAt, source, compression, trail } = bundle
  const at = (event: string): number => before + eventIndex(event)
  return {
    id,
    kind,
    track,
    created: Date.parse(createdAt),
    from,
    sourceTokens: compression.sourceTokens,
    bundleTokens: compression.bundleTokens,
    ratio: compression.ratio,
    band: compression.band,
    ...(bundle.state === undefined ? {} : { state: bundle.state }),
    summarizer: [compression.summarizer, compression.model].filter((part) => part !== undefined).join(' '),
    events: source.events,
    sections: [...statementSections(bundle, at), ...factSections(bundle, at)].filter(
      ({ statements }) => statements.length > 0,
    ),
    trail: trail.map(({ event, until, text }) => ({ event: at(event), until: at(until ?? event), text })),
  }
}

type Place = (event: string) => number

function statementSections(bundle: ContextBundle, at: Place): PageSection[] {
  return summarySections(bundle).map(({ title, text, items }) => ({
    title,
    folded: false,
    statements: [
      ...text.split('\n').flatMap((line) => textStatement(line, at)),
      ...items.map(({ main, fields = [], evidence = [], unverified = false }) =>
        statement(
          main,
          fields.filter(([name]) => name !== 'at'),
          { evidence, unverified },
          at,
        ),
      ),
    ],
  }))
}

function factSections(bundle: ContextBundle, at: Place): PageSection[] {
  const { validation, git, files, errors, commands } = bundle
  const facts = (title: string, statements: readonly PageStatement[]): PageSection => ({
    title,
    folded: title !== 'Validation',
    statements,
  })
  return [
    facts(
      'Validation',
      validation === undefined
        ? []
        : [
            {
              ...statement(
                validation.status,
                details({ was: validation.result, run: validation.command }),
                validation,
                at,
              ),
              ...(validation.status === 'green' && { tone: 'good' as const }),
              ...(validation.status === 'failed' && { tone: 'bad' as const }),
            },
          ],
    ),
    facts(
      'Commits',
      git.commits.map((commit) => statement(commit.subject ?? '', [['commit', commit.sha]], commit, at)),
    ),
    facts(
      'Files',
      files.map((file) =>
        statement(file.path, details({ is: fileChange(file), why: file.reason }), file, at),
      ),
    ),
    facts(
      'Errors',
      errors.map((error) => ({
        ...statement(error.message, details({ solved: error.resolution }), error, at),
        tone: error.resolution === undefined ? ('bad' as const) : ('good' as const),
      })),
    ),
    facts(
      'Commands',
      commands.map((command) => ({
        ...statement(command.command, details({ exit: command.exitCode?.toString() }), command, at),
        ...(command.status === 'ok' && { tone: 'good' as const }),
        ...(command.status === 'error' && { tone: 'bad' as const }),
      })),
    ),
  ]
}

function statement(
  text: string,
  labelled: readonly Labelled<string>[],
  { evidence, unverified = false }: { readonly evidence: readonly string[]; readonly unverified?: boolean },
  at: Place,
): PageStatement {
  return {
    text,
    details: labelled,
    evidence: evidence.map(at),
    ...(unverified && { unverified }),
  }
}

/** A line of prose cites its events in the text: `Asked (e2): …`. */
function textStatement(line: string, at: Place): PageStatement[] {
  if (line.trim() === '') return []
  const cited = [...line.matchAll(/\be[1-9]\d{0,8}\b/g)].map(([event]) => event)
  return [{ text: line, details: [], evidence: [...new Set(cited)].map(at) }]
}

function details(fields: Readonly<Record<string, string | undefined>>): Labelled<string>[] {
  return Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined)
}

function fileChange({ status, added, removed, from }: ContextBundle['files'][number]): string {
  const size = `${added === undefined ? '' : ` +${added}`}${removed === undefined ? '' : ` −${removed}`}`
  return `${status}${size}${from === undefined ? '' : ` from ${from}`}`
}
