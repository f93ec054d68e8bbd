import { isUtf8 } from 'node:buffer'
import type { Redaction } from '../../redact/redaction.ts'

/** A patch, and for each section how its secrets were removed. */
export interface RedactedPatch {
  readonly patch: Buffer
  /** By number of the section; `dropped` if it would no longer apply and is left out. */
  readonly sections: ReadonlyMap<number, { readonly parts: number; readonly dropped: boolean }>
}

/** Splits a git patch into sections, one per file. No line of a hunk or of binary data begins like a header. */
export function patchSections(patch: Buffer): Buffer[] {
  const begin = Buffer.from('diff --git ')
  const next = Buffer.from('\ndiff --git ')
  if (!patch.subarray(0, begin.length).equals(begin)) return []
  const sections: Buffer[] = []
  let start = 0
  for (;;) {
    const end = patch.indexOf(next, start)
    sections.push(patch.subarray(start, end === -1 ? patch.length : end + 1))
    if (end === -1) return sections
    start = end + 1
  }
}

/** Learns the secrets in the text of a patch. */
export function learnPatch(sections: readonly Buffer[], redaction: Redaction): void {
  for (const section of sections) {
    const { header, hunks } = partsOf(section)
    redaction.learn(header)
    redaction.learn(sideOf(hunks, '+'))
    redaction.learn(sideOf(hunks, '-'))
  }
}

/**
 * Puts marks in place of secrets on added lines. A section with a secret on a line that must exist in the head, or in
 * the name of its file, is left out, so that the rest still applies; so are those in `left`, and those that do not
 * apply without them according to `dependants`. Binary data is unchanged.
 */
export function redactPatch(
  sections: readonly Buffer[],
  redaction: Redaction,
  left: ReadonlySet<number> = new Set(),
  dependants: (dropped: ReadonlySet<number>) => readonly number[] = () => [],
): RedactedPatch {
  const found = new Map<number, { parts: number; dropped: boolean }>()
  const clean = sections.map((section, index) => {
    const before = redaction.hits
    const kept = left.has(index) ? undefined : redactSection(section, redaction)
    const parts = redaction.hits - before
    if (kept !== section) found.set(index, { parts: Math.max(1, parts), dropped: kept === undefined })
    return kept
  })
  const dropped = new Set([...found].flatMap(([index, how]) => (how.dropped ? [index] : [])))
  for (let more = dependants(dropped); dropped.size > 0 && more.length > 0; more = dependants(dropped))
    for (const index of more) {
      dropped.add(index)
      clean[index] = undefined
      found.set(index, { parts: found.get(index)?.parts ?? 0, dropped: true })
    }
  return { patch: Buffer.concat(clean.filter((section) => section !== undefined)), sections: found }
}

interface SectionParts {
  readonly header: string
  /** Lines of all hunks with their heads; empty for binary data. */
  readonly hunks: readonly string[]
  readonly encoding: 'utf8' | 'latin1'
}

function partsOf(section: Buffer): SectionParts {
  const encoding = isUtf8(section) ? 'utf8' : 'latin1'
  const text = section.toString(encoding)
  const first = text.indexOf('\n@@ ')
  const binary = text.indexOf('\nGIT binary patch\n')
  if (binary !== -1 && (first === -1 || binary < first))
    return { header: text.slice(0, binary), hunks: [], encoding }
  if (first === -1) return { header: text, hunks: [], encoding }
  return { header: text.slice(0, first + 1), hunks: text.slice(first + 1).split('\n'), encoding }
}

/** The file before (`-`) or after (`+`) the patch, as far as its hunks show it. */
function sideOf(hunks: readonly string[], side: '+' | '-'): string {
  const lines = hunks.filter((line) => line[0] === ' ' || line[0] === side)
  return lines.map((line) => line.slice(1)).join('\n')
}

function redactSection(section: Buffer, redaction: Redaction): Buffer | undefined {
  const { header, hunks, encoding } = partsOf(section)
  if (redaction.redact(header) !== header) return undefined
  if (hunks.length === 0) return section
  const before = sideOf(hunks, '-')
  if (redaction.redact(before) !== before) return undefined
  const after = sideOf(hunks, '+')
  const clean = redaction.redact(after, { keepLines: true })
  const heads = hunks.map((line) => (line.startsWith('@@ ') ? cleanHead(line, redaction) : line))
  if (clean === after && heads.every((line, at) => line === hunks[at])) return section
  const lines = clean.split('\n')
  if (lines.length !== after.split('\n').length) return undefined
  let at = 0
  for (const [index, line] of heads.entries()) {
    if (line[0] !== ' ' && line[0] !== '+') continue
    const now = lines[at++] ?? ''
    if (line[0] === ' ' && now !== line.slice(1)) return undefined
    heads[index] = `${line[0]}${now}`
  }
  return Buffer.from(`${header}${heads.join('\n')}`, encoding)
}

/** After the numbers of a hunk git shows a line of the file, which is optional. */
function cleanHead(line: string, redaction: Redaction): string {
  if (redaction.redact(line) === line) return line
  return line.replace(/^(@@ [^@]* @@).*$/, '$1')
}
