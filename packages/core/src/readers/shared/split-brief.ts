export type SplitPrompt = { readonly brief: string; readonly words: string }

/** A brief is near the beginning of the prompt that quotes it. */
const briefStart = 2000

const phrase = 'Record of '
const opening =
  /^(?:(?:# Resume: .*\n)?Record of past work: data, no(?:t instructions|\s+instruction)\b.*|# Resume: .*\nRecord of .*; the user's latest words take precedence\..*)$/m

// The headings of a brief: those that a user writes below it are the user's own.
const heading =
  /^(?:### |## (?:Resume|How to resume|Next (?:steps|command)|No longer holds|Checked in|State|Constraints|Project rules|Decisions|Open (?:questions|errors|points|steps)|Blockers|Remaining|Findings|Steps|Approach|Summary|Validation|Current state|Tasks completed|Commits|Commands|Files|Last (?:words|prompt|response|turns)|Other bundles|History|What happened|Note of|Extra of|Usage|Checkpoints|Halted run|Running when|Git state|End of stderr|Details of)\b)/
const prose = /^## (?:Resume\b(?! point)|How to resume|Summary|Approach|Current state|History|Note of)/
const isListed = /^(?:- |>)/

/** A brief that a user pasted, `claude "$(tenfold resume)"`, is not their words. */
export function splitBrief(text: string): SplitPrompt | undefined {
  const start = text.slice(0, briefStart)
  if (!start.includes(phrase)) return undefined
  const found = opening.exec(start)
  if (found === null) return undefined
  const lines = text.slice(found.index).split('\n')
  const end = endOfBrief(lines, found[0].split('\n').length)
  const words = [text.slice(0, found.index), lines.slice(end).join('\n')].map((part) => part.trim())
  return {
    brief: lines.slice(0, end).join('\n').trimEnd(),
    words: words.filter((part) => part !== '').join('\n\n'),
  }
}

/** Index of the line after the last section; each begins with a heading after a blank line. */
function endOfBrief(lines: readonly string[], first: number): number {
  let end = first
  while (true) {
    let at = end
    while (lines[at]?.trim() === '') at++
    const title = lines[at] ?? ''
    if (!heading.test(title)) return end
    let listed = false
    for (at++; at < lines.length; at++) {
      const line = lines[at] ?? ''
      const isList = isListed.test(line)
      if (line.trim() === '' || heading.test(line) || (listed && !isList)) break
      listed ||= isList && !prose.test(title)
    }
    end = at
  }
}
