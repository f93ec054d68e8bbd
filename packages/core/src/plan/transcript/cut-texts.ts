import { condense, rankText, type ScoreSentence } from '../condense.ts'
import { decisiveness } from '../decisive-lines.ts'
import type { BundlePlan } from '../plan-bundle.ts'
import { isBinding } from './binding-words.ts'
import { condenseHunks } from './condense-hunks.ts'
import { isDiff } from './edit-diff.ts'
import { isFragment, pickLines } from './pick-lines.ts'
import { type ReadKind, readSizes, type SizedText } from './read-sizes.ts'

/** A text that a model may read, before it is cut. */
interface WholeText extends SizedText {
  readonly text: string
}

/** Tokens that all texts should take, and may take at most. */
export interface Room {
  readonly room: number
  readonly most: number
}

/** With less to give away, the texts are not cut again. */
const worthAgain = 0.03

/** Cuts texts so that together they take their room; what files leave of theirs goes to the others. */
export function cutTexts(
  texts: readonly WholeText[],
  { room, most }: Room,
  plan: BundlePlan,
): readonly string[] {
  const cutAll = (all: readonly WholeText[], sizes: readonly number[]) =>
    all.map((text, index) => {
      const size = sizes[index] ?? 0
      return size >= text.tokens ? text.text : cutText(text, size, plan)
    })
  const sizes = readSizes(texts, room, most)
  const cuts = cutAll(texts, sizes)
  let spare = 0
  const taken = texts.map((text, index): WholeText => {
    const [size = 0, cut = ''] = [sizes[index], cuts[index]]
    if (text.kind !== 'file' || size >= text.tokens) return text
    const tokens = Math.min(size, plan.counter.count(cut))
    spare += size - tokens
    return { ...text, tokens, text: cut }
  })
  if (spare < room * worthAgain) return cuts
  return cutAll(taken, readSizes(taken, room, most))
}

/** Cuts a text by sentences; what would fall into fragments by what it consists of. */
function cutText({ kind, text, tokens }: WholeText, size: number, plan: BundlePlan): string {
  const { counter } = plan
  const score = scorerFor(kind, plan)
  if (kind === 'edit' && isDiff(text)) return condenseHunks(text, size, counter)
  const cut = condense(rankText(text, tokens, counter, score), size, counter)
  if (!isFragment(cut) || !listed.has(kind)) return cut
  return pickLines(text, size, counter, kind === 'file' ? scoreOfFile(score) : score)
}

/** Texts of lines that can be read one by one. */
const listed: ReadonlySet<ReadKind> = new Set<ReadKind>([
  'file',
  'output',
  'check',
  'edit',
  'document',
  'context',
])

/** Texts that may say what binds the work. */
const mayBind: ReadonlySet<ReadKind> = new Set<ReadKind>(['document', 'output', 'plan', 'context', 'task'])

/** In failures, lines that say what failed count more; in files, those that bind the work. */
function scorerFor(kind: ReadKind, { scoreSentence }: BundlePlan): ScoreSentence {
  if (kind === 'failure' || kind === 'check')
    return (segment) => scoreSentence(segment) + 2 * decisiveness(segment)
  if (kind === 'edit' || kind === 'file')
    return (segment) =>
      isDrawing(segment)
        ? 0
        : scoreSentence(segment) +
          (isBinding(segment) ? 4 : 0) +
          (isComment(segment) ? commentScore : 0) +
          (kind === 'file' && isDefinition(segment) ? definitionScore : 0)
  if (kind === 'report') return (segment) => scoreSentence(segment) + (verdict.test(segment) ? 3 : 0)
  if (mayBind.has(kind)) return (segment) => scoreSentence(segment) + (isBinding(segment) ? 4 : 0)
  return scoreSentence
}

/** What a report comes to. */
const verdict =
  /\b(?:approved?|rejected|verdict|conclusion|changes[_ ](?:needed|requested)|blocked|blocker|must[- ]fix|recommend\w*|root cause)\b/i

/** A comment says why the code is as it is. */
function isComment(line: string): boolean {
  return /^[+-]?\s*(?:\/\/|\/?\*|#(?!\w)|--\s|<!--)\s?\S*\s\S/.test(line)
}

/** A comment of fewer words is a heading of the code below it. */
function isSentence(line: string): boolean {
  return isComment(line) && line.trim().split(/\s+/).length > 5
}

const commentScore = 2

/** Prefers the lines of a file that define something, bind or say why. */
function scoreOfFile(score: ScoreSentence): ScoreSentence {
  return (line) =>
    isDefinition(line) || isBinding(line) || isSentence(line) ? score(line) : otherLine * score(line) - 1
}

const otherLine = 0.25

/** What a file defines says what is in it. */
function isDefinition(line: string): boolean {
  return /^\s{0,4}(?:(?:export|pub(?:\(\w+\))?|public|private|protected|static|abstract|async|default)\s+)*(?:function|class|interface|type|enum|struct|impl|trait|def|func|fn|module|namespace)\s+[\w($]|^(?:export )?(?:const|let|var)\s+\w+|^#{1,4} \S/.test(
    line.slice(0, 400),
  )
}

const definitionScore = 4

/** The path of a drawing, a list of style classes, encoded data: names and numbers that say nothing. */
function isDrawing(line: string): boolean {
  return /(?:-?\d*\.\d+[ ,-]?){6}|\b(?:d|viewBox|className|class|xmlns)=["'{`]|[A-Za-z\d+/]{80}/.test(
    line.slice(0, 400),
  )
}
