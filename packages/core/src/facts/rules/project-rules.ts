import { cleanLine } from '../../session/clean-text.ts'
import type { SessionEvent } from '../../session/event.ts'
import type { Steps } from '../../session/pauses.ts'
import { shareOf } from '../../text/overlap.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import type { ConstraintFact, FileFact, ProjectRuleFact } from '../facts.ts'
import type { PathNormalizer } from '../log-path.ts'
import { isTestPath } from './comment-rules.ts'
import { isStrong, ruleSentences } from './rule-sentences.ts'
import { hookSource, type RuleOrigin, ruleTexts } from './rule-texts.ts'

/** More rules than any prompt has room for; the least specific ones are dropped. */
const maxRules = 150

/** A command's text is mostly about its own answer. */
const maxCommandRules = 12

/** A comment addresses those who edit its file, so it comes after everything about the project. */
const specific = { code: -6, instructions: 3, issue: 2, harness: 1 }

/**
 * Finds the rules that bind the work but are not words of the user: in files of instructions and issues that the
 * session read, in comments of code that it read, in hooks and slash commands. Verbatim except for white space, each
 * once, the most specific to the work first.
 */
export function* projectRuleSteps(
  events: readonly SessionEvent[],
  uses: readonly ToolUse[],
  {
    files,
    constraints,
    isAnswered,
  }: {
    readonly files: readonly FileFact[]
    readonly constraints: readonly ConstraintFact[]
    /** Whether the last request was answered: the orders of a command end with its answer. */
    readonly isAnswered: boolean
  },
  normalize: PathNormalizer,
): Steps<ProjectRuleFact[]> {
  const edited = new Set(files.filter(({ status }) => status !== 'read').map(({ path }) => path))
  const created = new Set(files.filter(({ status }) => status === 'created').map(({ path }) => path))
  const names = [...edited].flatMap((path) => path.split('/').at(-1) ?? [])
  const known = new Set(constraints.map(({ text }) => keyOf(text)))
  const found: (ProjectRuleFact & { readonly origin: RuleOrigin; readonly score: number })[] = []
  for (const { origin, source, event, text, outside } of ruleTexts(events, uses, normalize)) {
    yield
    if (origin === 'document' || (isAnswered && origin === 'harness' && source !== hookSource)) continue
    if (outside !== undefined && (origin === 'code' || isElsewhere(outside, edited, normalize))) continue
    for (const sentence of ruleSentences(text, origin, isTestPath(source))) {
      const rule = cleanLine(sentence)
      const key = keyOf(rule)
      if (key === '' || known.has(key)) continue
      // What the session itself wrote describes its work; only prohibitions and demands in it remain.
      if (origin !== 'code' && created.has(outside ?? source) && !isStrong(rule)) continue
      known.add(key)
      const touches = names.some((name) => name.length > 3 && rule.includes(name))
      const score =
        (source === hookSource ? specific.instructions : specific[origin]) +
        // A file of instructions that the session wrote is its work, and did not bind it.
        (edited.has(outside ?? source) ? (origin === 'code' ? 2 : -2) : 0) +
        (touches ? 2 : 0) +
        (/\b(?:must|never|always|do not|don['’]t|MUST|NEVER|ALWAYS|security)\b/i.test(rule) ? 1 : 0)
      found.push({ text: rule, source, event, origin, score })
    }
  }
  let ofCommand = 0
  const ordered = found
    .map((rule, order) => ({ ...rule, order }))
    .sort((a, b) => b.score - a.score || a.order - b.order)
  return withoutNearEqual(ordered)
    .filter(
      ({ origin, source }) => origin !== 'harness' || source === hookSource || ++ofCommand <= maxCommandRules,
    )
    .slice(0, maxRules)
    .map(({ text, source, event }) => ({ text, source, event }))
}

/**
 * Whether a file outside the session's folder is of another project. A folder above, the settings of an agent, and a
 * folder that the session edited are not elsewhere.
 */
function isElsewhere(path: string, edited: ReadonlySet<string>, normalize: PathNormalizer): boolean {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const above = normalize('..')
  return (
    above !== undefined &&
    !`${above}/`.startsWith(folder) &&
    !/\/\.[\w-]+\//.test(path) &&
    ![...edited].some((file) => file.startsWith(folder))
  )
}

function keyOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Minimum share of common words in two statements of some length that are equal. */
const sameShare = 0.89
const fewestWords = 5

function withoutNearEqual<T extends { readonly text: string }>(statements: readonly T[]): T[] {
  const kept: ReadonlySet<string>[] = []
  return statements.filter(({ text }) => {
    const words = new Set(keyOf(text).split(' '))
    const isSame = (other: ReadonlySet<string>) =>
      Math.min(shareOf(words, other), shareOf(other, words)) >= sameShare
    return (words.size < fewestWords || !kept.some(isSame)) && kept.push(words)
  })
}
