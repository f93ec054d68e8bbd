import type { FileChange, ToolKind } from '../../session/event.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { readOutput } from '../codex/output.ts'
import { outcomeOf, writeResult } from '../messages/conversation.ts'
import type { Outcome, Writer, WrittenCall } from '../shared/writer.ts'

interface Fence {
  readonly language: string
  readonly text: string
  readonly before: string
}

const kinds: Readonly<Record<string, ToolKind>> = {
  shell: 'execute',
  read: 'read',
  write: 'edit',
  search: 'search',
}

/** Reads a rendered tool use as far as SpecStory kept it. Returns the call, or `undefined` without a name. */
export function readToolUse(writer: Writer, block: readonly string[]): WrittenCall | undefined {
  const head = block.slice(0, 4).join('\n')
  const type = /data-tool-type="([\w-]*)"/.exec(head)?.[1] ?? ''
  const title = /Tool use: \*\*([^*]{1,200})\*\*/.exec(head)?.[1]
  const name = unescapeHtml(/data-tool-name="([^"]*)"/.exec(head)?.[1] ?? title ?? '')
  if (name === '') {
    writer.out.note('unknown-tool-use', 'a tool use without a name, kept as text')
    return undefined
  }
  const { summary, body } = partsOf(block)
  const known = toolKindOf(name)
  const kind = known === 'other' ? (kinds[type] ?? 'other') : known
  const { input, output, changes } = listedParts(body) ?? freeParts(body, { name, kind, summary })
  const call = writer.call({ name, input, kind })
  if (output === undefined && changes.length === 0) return call
  writeResult(writer, call, undefined, outcomeWith(output ?? '', changes))
  return call
}

/** A tool that SpecStory has no form for: `**Input:**` with a list of arguments, and `**Result:**`. */
function listedParts(body: readonly string[]): ToolParts | undefined {
  const from = body.findIndex((line) => line.trim() !== '')
  if (body[from]?.trim() !== '**Input:**') return undefined
  const to = body.findIndex((line) => line.trim() === '**Result:**')
  const asked = body.slice(from + 1, to === -1 ? undefined : to).join('\n')
  const starts = [...asked.matchAll(/^- ([\w.-]{1,60}): /gm)]
  const entries = starts.map(({ index, 0: mark, 1: key = '' }, number) => {
    const value = asked.slice(index + mark.length, starts[number + 1]?.index).trim()
    return [key, /^`[\s\S]*`$/.test(value) ? value.slice(1, -1) : value] as const
  })
  const { fences, rest } = cutFences(to === -1 ? [] : body.slice(to + 1))
  const input = entries.length > 0 ? Object.fromEntries(entries) : asked.trim() || null
  return { input, output: outputOf(fences, rest) ?? (rest === '' ? undefined : rest), changes: [] }
}

function freeParts(body: readonly string[], about: Pick<ToolText, 'name' | 'kind' | 'summary'>): ToolParts {
  const { fences, rest } = cutFences(body)
  const text = { ...about, fences, lead: fences[0]?.before ?? rest, tail: fences.length === 0 ? '' : rest }
  return about.kind === 'edit' ? editParts(text) : plainParts(text)
}

interface ToolText {
  readonly name: string
  readonly kind: ToolKind
  readonly summary: string
  readonly fences: readonly Fence[]
  readonly lead: string
  readonly tail: string
}

interface ToolParts {
  readonly input: unknown
  readonly output: string | undefined
  readonly changes: readonly FileChange[]
}

function outcomeWith(output: string, changes: readonly FileChange[]): Outcome {
  const { text, exitCode, status } = readOutput(output)
  const reported = outcomeOf(text)
  const code = exitCode ?? reported.exitCode
  const end = status ?? (code !== undefined && code !== 0 ? 'error' : reported.status)
  return { status: end, text, exitCode: code, changes: end === 'ok' ? changes : [] }
}

/** A tool use without its tags: the end of its summary, and the text after it. */
function partsOf(block: readonly string[]): { summary: string; body: readonly string[] } {
  const at = block.findIndex((line) => line.includes('Tool use: **'))
  const line = block[at] ?? ''
  const title = /Tool use: \*\*[^*]*\*\*/.exec(line)
  const rest = title === null ? '' : line.slice(title.index + title[0].length).trim()
  const summary = rest.endsWith('</summary>') ? rest.slice(0, -'</summary>'.length).trimEnd() : rest
  const body = block
    .slice(at + 1)
    .filter(
      (text) => !/^(?:<details>|<\/details>)?(?:<\/tool-use>)?$/.test(text.trim()) || text.trim() === '',
    )
  return { summary: unescapeHtml(summary), body }
}

/** Fenced texts. A fence with a language inside another is part of it. */
function cutFences(lines: readonly string[]): { fences: readonly Fence[]; rest: string } {
  const fences: Fence[] = []
  let before: string[] = []
  let inside: string[] | undefined
  let language = ''
  let depth = 0
  for (const line of lines) {
    const mark = /^`{3,}\s*(\S*)\s*$/.exec(line)
    if (inside === undefined) {
      if (mark === null) before.push(line)
      else {
        inside = []
        language = mark[1] ?? ''
        depth = 1
      }
      continue
    }
    if (mark !== null) depth += mark[1] === '' ? -1 : 1
    if (depth > 0) inside.push(line)
    else {
      fences.push({ language, text: inside.join('\n'), before: before.join('\n').trim() })
      before = []
      inside = undefined
    }
  }
  if (inside !== undefined)
    fences.push({ language, text: inside.join('\n'), before: before.join('\n').trim() })
  return { fences, rest: inside === undefined ? before.join('\n').trim() : '' }
}

/** Parts of a command, a search or a read: the request comes before the output. */
function plainParts({ name, kind, summary, fences, lead, tail }: ToolText): ToolParts {
  const answer = /^([\s\S]*?)\n?\*\*Answer:\*\* ?([\s\S]*)$/.exec(fences.length === 0 ? lead : '')
  const asked = answer?.[1]?.trim() ?? lead
  const questions = name === 'AskUserQuestion' ? questionsIn(asked) : []
  if (questions.length > 0) {
    const given = answer?.[2]
    const output = given === undefined ? outputOf(fences, tail) : answersTo(questions, given)
    return { input: { questions }, output, changes: [] }
  }
  const output = answer?.[2] ?? outputOf(fences, tail)
  const input = kind === 'execute' ? commandInput(summary, asked) : argumentsIn(name, kind, summary, asked)
  return { input, output, changes: [] }
}

/** Output of several fences with the text between them; a single one may be followed by text. */
function outputOf(fences: readonly Fence[], tail: string): string | undefined {
  if (fences.length === 0) return undefined
  const texts = fences.map(({ text, before }, index) =>
    index === 0 || before === '' ? text : `${before}\n${text}`,
  )
  return [...texts, ...(tail === '' ? [] : [tail])].join('\n')
}

function commandInput(summary: string, asked: string): unknown {
  const inSummary = /^`([\s\S]*)`$/.exec(summary)?.[1]
  if (inSummary !== undefined) return { command: inSummary, ...(asked !== '' && { description: asked }) }
  const start = asked.startsWith('`') ? 0 : asked.indexOf('\n`') + 1
  const isQuoted = asked[start] === '`' && asked.endsWith('`') && asked.length > start + 1
  if (!isQuoted) return asked === '' ? null : { description: asked }
  const description = asked.slice(0, start).trim()
  return { command: asked.slice(start + 1, -1), ...(description !== '' && { description }) }
}

const pairs = /(?:^|\s)(path|pattern|glob|query|include|type) `([^`]*)`/g

function argumentsIn(name: string, kind: ToolKind, summary: string, asked: string): unknown {
  const paired = [...asked.matchAll(pairs)]
  if (paired.length > 0) return Object.fromEntries(paired.map(([, key = '', value = '']) => [key, value]))
  const quoted = /^`([^`]*)`$/.exec(asked)?.[1] ?? /`([^`]*)`$/.exec(summary)?.[1]
  const value = quoted ?? /(?:Read|Edit|Delete) file: (.+)$/.exec(summary)?.[1]
  if (value !== undefined) return { [keyOf(name, kind)]: value }
  const words = [summary.replace(/^• /, ''), asked].filter((text) => text !== '').join('\n')
  return words === '' ? null : { description: words }
}

function keyOf(name: string, kind: ToolKind): string {
  if (kind === 'read' || kind === 'delete') return 'file_path'
  if (/fetch/i.test(name)) return 'url'
  return kind === 'search' || kind === 'fetch' ? 'query' : 'argument'
}

const heading = /\*\*(Add|Update|Delete|Move|Chunk)(?:: `([^`]*)`| \d+)?(?: (?:→|->|to) `([^`]*)`)?\*\*/

/** Parts of an edit: the new text or the patch, and at the end the tool's message. */
function editParts({ summary, fences, lead, tail, name }: ToolText): ToolParts {
  const lastFence = fences.at(-1)
  const isReport =
    lastFence !== undefined &&
    (lastFence.language === 'text' || lastFence.language === '') &&
    !isDiff(lastFence)
  const report = isReport ? lastFence.text : undefined
  const shown = isReport ? fences.slice(0, -1) : fences
  const path =
    /^`([^`]*)`$/.exec(lead)?.[1] ??
    /(?:Edit|Read|Write|Create) file: (.+)$/.exec(summary)?.[1] ??
    /(?:[Tt]he file|created successfully at:|[Ww]rote to) (\S.*?)(?: has been \w+\b.*)?$/m.exec(
      report ?? '',
    )?.[1]
  const changes = shown.flatMap((fence) => changesIn(fence, path))
  // A heading that names a file belongs to its patch.
  const named = heading.test(lead)
  const text = shown
    .map((fence) => (fence.before === lead && !named ? fence.text : `${fence.before}\n${fence.text}`))
    .join('\n')
  const field = /write|create/i.test(name) ? 'content' : 'patch'
  const about = [named ? '' : lead, tail]
    .filter((words) => words !== '' && words !== `\`${path}\``)
    .join('\n')
  const input = {
    ...(path !== undefined && { file_path: path }),
    ...(text.trim() !== '' && { [field]: text }),
    ...(about !== '' && { description: about }),
  }
  return { input: Object.keys(input).length === 0 ? null : input, output: report, changes }
}

function isDiff({ language, text }: Fence): boolean {
  return language === 'diff' || /^(?:@@|\+\+\+ |--- )/m.test(text)
}

function changesIn(fence: Fence, path: string | undefined): FileChange[] {
  if (!isDiff(fence)) return []
  const [, verb, named, moved] = heading.exec(fence.before) ?? []
  const file = moved ?? named ?? path
  if (file === undefined) return []
  const lines = fence.text.split('\n')
  const count = (sign: string, header: string): number =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(header)).length
  const action =
    verb === 'Add' ? 'created' : verb === 'Delete' ? 'deleted' : moved === undefined ? 'modified' : 'renamed'
  const from = moved === undefined || named === undefined ? {} : { from: named }
  return [{ path: file, action, ...from, added: count('+', '+++ '), removed: count('-', '--- ') }]
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&#96;', '`')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

/** A question to the user with the options it offers, as Claude Code asks it. */
interface OfferedQuestion {
  readonly question: string
  readonly options: readonly { readonly label: string; readonly description: string }[]
}

/** Reads `**question**`, each with a list of `- **label** - description`. */
function questionsIn(text: string): OfferedQuestion[] {
  const questions: { question: string; options: { label: string; description: string }[] }[] = []
  for (const line of text.split('\n')) {
    const question = /^\*\*(.+)\*\*\s*$/.exec(line)?.[1]
    const [, label, description = ''] = /^- \*\*(.+?)\*\*(?: - (.*))?$/.exec(line) ?? []
    if (question !== undefined) questions.push({ question, options: [] })
    else if (label !== undefined) questions.at(-1)?.options.push({ label, description })
  }
  return questions
}

/**
 * The answers in the form of Claude Code, `"question"="label"`, without the previews of the chosen options. A text that
 * does not begin with an option of each question stays as it is.
 */
function answersTo(questions: readonly OfferedQuestion[], text: string): string {
  const [only] = questions
  if (only !== undefined && questions.length === 1) return text.split(preview)[0] ?? text
  const pairs: string[] = []
  let rest = text.trim()
  for (const { question, options } of questions) {
    const label = options.map((option) => option.label).find((each) => startsWithAnswer(rest, each))
    if (label === undefined) return text
    pairs.push(`"${question}"="${label}"`)
    rest = rest.slice(label.length)
    const next = questions[pairs.length]?.options.flatMap((option) => placeOf(rest, option.label)) ?? []
    rest = next.length === 0 ? '' : rest.slice(Math.min(...next))
  }
  return pairs.join(', ')
}

const preview = /" (?:selected preview|(?:user )?notes):/

function startsWithAnswer(text: string, label: string): boolean {
  return (
    text.startsWith(label) &&
    /^(?:$|, |" (?:selected preview|(?:user )?notes):)/.test(text.slice(label.length))
  )
}

/** Where the next answer begins: answers are joined with a comma. */
function placeOf(text: string, label: string): number[] {
  const at = text.indexOf(`, ${label}`)
  return at === -1 ? [] : [at + 2]
}
