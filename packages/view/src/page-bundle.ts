import type { ContextBundle } from '@tenfold/core'
import { eventIndex, known, summarySections } from '@tenfold/core/internal'
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
  const { id, kind, track, createdAt, source, compression, trail, state } = bundle
  const { sourceTokens, bundleTokens, ratio, band, summarizer, model } = compression
  const at = (event: string): number => before + eventIndex(event)
  return {
    ...{ id, kind, track, created: Date.parse(createdAt), from, sourceTokens, bundleTokens, ratio, band },
    ...known({ state }),
    summarizer: [summarizer, model].filter((part) => part !== undefined).join(' '),
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
      ...items.map(({ main, fields = [], evidence = [], unverified = false }) => ({
        text: main,
        details: fields.filter(([name]) => name !== 'at'),
        evidence: evidence.map(at),
        ...(unverified && { unverified }),
      })),
    ],
  }))
}

/** A line of prose cites its events in the text: `Asked (e2): …`. */
function textStatement(line: string, at: Place): PageStatement[] {
  if (line.trim() === '') return []
  const cited = [...line.matchAll(/\be[1-9]\d{0,8}\b/g)].map(([event]) => event)
  return [{ text: line, details: [], evidence: [...new Set(cited)].map(at) }]
}

function factSections(bundle: ContextBundle, at: Place): PageSection[] {
  const { validation, git, files, errors, commands } = bundle
  const facts = (title: string, statements: readonly PageStatement[]): PageSection => ({
    ...{ title, statements },
    folded: title !== 'Validation',
  })
  /** A fact with what is said of it, as far as it is known. */
  const fact = (
    { evidence }: { readonly evidence: readonly string[] },
    text: string,
    about: Readonly<Record<string, string | undefined>>,
    tone?: PageStatement['tone'],
  ): PageStatement => {
    const details: Labelled<string>[] = Object.entries(known<Record<string, string>>(about))
    return { text, details, evidence: evidence.map(at), ...known({ tone }) }
  }
  const tones = { green: 'good', failed: 'bad', ok: 'good', error: 'bad' } as const
  const toneOf = (status: string) => tones[status as keyof typeof tones]
  return [
    facts(
      'Validation',
      (validation === undefined ? [] : [validation]).map((each) =>
        fact(each, each.status, { was: each.result, run: each.command }, toneOf(each.status)),
      ),
    ),
    facts(
      'Commits',
      git.commits.map((commit) => fact(commit, commit.subject ?? '', { commit: commit.sha })),
    ),
    facts(
      'Files',
      files.map((file) => fact(file, file.path, { is: fileChange(file), why: file.reason })),
    ),
    facts(
      'Errors',
      errors.map((error) => {
        const { message, resolution: solved } = error
        return fact(error, message, { solved }, solved === undefined ? 'bad' : 'good')
      }),
    ),
    facts(
      'Commands',
      commands.map((run) => fact(run, run.command, { exit: run.exitCode?.toString() }, toneOf(run.status))),
    ),
  ]
}

function fileChange({ status, added, removed, from }: ContextBundle['files'][number]): string {
  const size = `${added === undefined ? '' : ` +${added}`}${removed === undefined ? '' : ` −${removed}`}`
  return `${status}${size}${from === undefined ? '' : ` from ${from}`}`
}
