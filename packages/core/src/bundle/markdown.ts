import { InvalidBundleError } from '../errors.ts'
import { shortLine } from '../session/short-line.ts'
import { bundleOfFront, formatFront, readFront } from './front-matter.ts'
import { parseBundle } from './parse-bundle.ts'
import type { ContextBundle } from './schema.ts'
import { withValue } from './section.ts'
import { readLines, writeLines } from './section-lines.ts'
import { type SectionKey, sectionEntries, sections } from './sections.ts'
import { asShown } from './shown.ts'
import { assertBundle } from './sorts.ts'

/**
 * Returns the canonical Markdown of a bundle: front matter (YAML) and the sections that are not empty. It is the JSON
 * fitted to the band: without what `shown` leaves out. Its tokens are the bundle tokens.
 */
export function bundleToMarkdown(bundle: ContextBundle): string {
  assertBundle(bundle)
  const fitted = asShown(bundle)
  return [headToMarkdown(fitted), ...sectionPieces(fitted)].join('')
}

export function headToMarkdown(bundle: ContextBundle): string {
  return `---\n${formatFront(bundle)}---\n\n${titleOf(bundle)}\n`
}

function titleOf({ kind, source: { title }, shown }: ContextBundle): string {
  const words = `# ${kind[0]?.toUpperCase()}${kind.slice(1)} Bundle`
  return title === undefined || shown?.without?.includes('title')
    ? words
    : `${words}: ${shortLine(title, 60)}`
}

/** Maximum characters of a piece; most sections are one piece. */
const pieceLength = 64 * 1024

/**
 * Yields the canonical Markdown of a bundle without its front matter, in pieces, because a large log has a million
 * lines. Each piece but the first begins with an item or an entry.
 */
export function* sectionPieces(bundle: ContextBundle): Generator<string, void> {
  let text = ''
  for (const [key] of sectionEntries) {
    let isFirst = true
    for (const piece of piecesOf(key, bundle)) {
      if (isFirst) text += `\n${piece}`
      else {
        yield text
        text = piece
      }
      isFirst = false
    }
  }
  if (text !== '') yield text
}

export function* piecesOf(key: SectionKey, bundle: ContextBundle): Generator<string, void> {
  let lines: string[] = []
  let length = 0
  let isFirst = true
  for (const line of writeLines(key, bundle)) {
    if (isFirst) lines.push(`## ${sections[key].title}\n`)
    else if (length > pieceLength && beginsItem.test(line)) {
      yield lines.join('')
      lines = []
      length = 0
    }
    isFirst = false
    lines.push(`${line}\n`)
    length += line.length + 1
  }
  if (lines.length > 0) yield lines.join('')
}

const beginsItem = /^(?:- |### )/

/**
 * Parses a bundle from its Markdown, which holds only what the Markdown shows; rendering it gives the same Markdown.
 * Throws {@link InvalidBundleError} that names the fault.
 */
export function bundleFromMarkdown(markdown: string): ContextBundle {
  const lines = markdown.replaceAll('\r\n', '\n').split('\n')
  const end = lines.indexOf('---', 1)
  if (lines[0] !== '---' || end === -1)
    throw new InvalidBundleError('not a bundle: expected front matter between two lines "---"', [])
  try {
    let bundle = bundleOfFront(readFront(lines.slice(1, end)))
    for (const [title, body] of splitSections(lines.slice(end + 1))) {
      const [key, section] = sectionEntries.find(([, candidate]) => candidate.title === title) ?? []
      if (key === undefined || section === undefined)
        throw new SyntaxError(`unknown section ${JSON.stringify(title)}`)
      bundle = withValue(bundle, section.path, readLines(key, body))
    }
    return parseBundle(bundle)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new InvalidBundleError(`not a bundle in Markdown: ${error.message}`, [error.message], {
      cause: error,
    })
  }
}

function splitSections(lines: readonly string[]): [title: string, body: string[]][] {
  const found: [string, string[]][] = []
  for (const line of lines) {
    const body = found.at(-1)?.[1]
    if (line.startsWith('## ')) found.push([line.slice(3), []])
    else if (body !== undefined) body.push(line)
    else if (line !== '' && !line.startsWith('# '))
      throw new SyntaxError(`text before the first section: ${JSON.stringify(line.slice(0, 60))}`)
  }
  // Removes the blank line before the next heading, or at the end of the file.
  for (const [, body] of found) if (body.at(-1) === '') body.pop()
  return found
}
