import { isUtf8 } from 'node:buffer'

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

/**
 * The texts of a section: its head with the lines of the file that git shows after `@@`, and the file before and after
 * the patch, as far as its hunks show it. Binary data is none.
 */
export function textsOfSection(section: Buffer): readonly [head: string, before: string, after: string] {
  const text = section.toString(isUtf8(section) ? 'utf8' : 'latin1')
  const first = text.indexOf('\n@@ ')
  const binary = text.indexOf('\nGIT binary patch\n')
  if (binary !== -1 && (first === -1 || binary < first)) return [text.slice(0, binary), '', '']
  if (first === -1) return [text, '', '']
  const hunks = text.slice(first + 1).split('\n')
  const heads = hunks.filter((line) => line.startsWith('@@ ')).join('\n')
  const side = (sign: '+' | '-'): string =>
    hunks
      .filter((line) => line[0] === ' ' || line[0] === sign)
      .map((line) => line.slice(1))
      .join('\n')
  return [`${text.slice(0, first + 1)}${heads}`, side('-'), side('+')]
}
