import type { FileChange, ToolKind } from '../../session/event.ts'
import { known } from '../../session/known.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { readReported } from '../codex/output.ts'
import { writeResult } from '../messages/conversation.ts'
import { tableOf } from '../shared/by-kind.ts'
import type { Outcome, Writer, WrittenCall } from '../shared/writer.ts'

type Fence = Readonly<Record<'language' | 'text' | 'before', string>>

interface ToolText extends Readonly<Record<'name' | 'summary' | 'lead' | 'tail', string>> {
  readonly kind: ToolKind
  readonly fences: readonly Fence[]
}

type ToolParts = Pick<Outcome, 'changes' | 'failed'> &
  Readonly<{ input: unknown; output: string | undefined }>

const kinds = tableOf<ToolKind>({ shell: 'execute', read: 'read', write: 'edit', search: 'search' })

export function readToolUse(writer: Writer, block: readonly string[]): WrittenCall | undefined {
  const head = block.slice(0, 4).join('\n')
  const at = block.findIndex((line) => line.includes('Tool use: **'))
  const title = /Tool use: \*\*([^*]{0,200})\*\*(.*)/.exec(block[at] ?? '')
  const name = unescapeHtml(/data-tool-name="([^"]*)"/.exec(head)?.[1] ?? title?.[1] ?? '')
  if (name === '') {
    writer.out.note('unknown-tool-use', 'a tool use without a name, kept as text')
    return undefined
  }
  const named = toolKindOf(name)
  const type = /data-tool-type="([\w-]*)"/.exec(head)?.[1]
  const kind = named === 'other' ? (kinds.get(type) ?? 'other') : named
  const summary = unescapeHtml((title?.[2] ?? '').trim().replace(/\s*<\/summary>$/, ''))
  const layout = /^(?:<details>|<\/details>)?(?:<\/tool-use>)?$/
  const body = block.slice(at + 1).filter((line) => line.trim() === '' || !layout.test(line.trim()))
  const { fences, rest } = cutFences(body)
  const lead = fences[0]?.before ?? rest
  const tool = { name, kind, summary, fences, lead, tail: fences.length === 0 ? '' : rest }
  const parts = listedParts(body) ?? (kind === 'edit' ? editParts(tool) : plainParts(tool))
  const { input, output, changes = [], failed } = parts
  const call = writer.call({ name, input, kind })
  if (output === undefined && changes.length === 0) return call
  const { text, exitCode, status: told } = readReported(output ?? '')
  const status = failed === true && told === 'ok' ? 'error' : told
  writeResult(writer, call, undefined, { status, text, exitCode, changes })
  return call
}

/** A tool that SpecStory has no form for: `**Input:**` with a list of arguments, and `**Result:**` or `**Error:**`. */
function listedParts(body: readonly string[]): ToolParts | undefined {
  const [, given, mark, result = ''] =
    /^\s*\*\*Input:\*\*\s*\n([\s\S]*?)(?:\n\*\*(Result|Error):\*\*[ \t]*(\n[\s\S]*)?)?$/.exec(
      body.join('\n'),
    ) ?? []
  if (given === undefined) return undefined
  const entries: [string, string][] = []
  for (const part of given.trim().split(/\n(?=- [\w.-]{1,60}: `)/)) {
    const [, key, value = ''] = /^- ([\w.-]{1,60}): `([\s\S]*)$/.exec(part) ?? []
    const last = entries.at(-1)
    // A value may have such lines itself; arguments are in the order of their names.
    const isNext = last === undefined || (last[1].endsWith('`') && (key ?? '') > last[0])
    if (isNext && key !== undefined) entries.push([key, value.trimEnd()])
    else if (last !== undefined) last[1] += `\n${part.trimEnd()}`
  }
  const { fences, rest } = cutFences(result.split('\n'))
  const values = entries.map(([key, value]) => [key, value.replace(/\s*`$/, '')] as const)
  const input = values.length > 0 ? Object.fromEntries(values) : given.trim() || null
  return { input, output: outputOf(fences, rest) ?? (rest || undefined), failed: mark === 'Error' }
}

/** Returns fenced texts. A fence with a language inside another is part of it. */
function cutFences(lines: readonly string[]): { fences: readonly Fence[]; rest: string } {
  const fences: Fence[] = []
  let before: string[] = []
  let open: { readonly language: string; readonly lines: string[] } | undefined
  let depth = 0
  const close = (): void => {
    if (open === undefined) return
    fences.push({ language: open.language, text: open.lines.join('\n'), before: before.join('\n').trim() })
    before = []
    open = undefined
  }
  for (const line of lines) {
    const [, language] = /^`{3,}\s*(\S*)\s*$/.exec(line) ?? []
    if (language !== undefined) depth += language === '' && open !== undefined ? -1 : 1
    if (open === undefined && language !== undefined) open = { language, lines: [] }
    else if (open === undefined) before.push(line)
    else if (depth > 0) open.lines.push(line)
    else close()
  }
  close()
  return { fences, rest: before.join('\n').trim() }
}

function plainParts({ name, kind, summary, fences, lead, tail }: ToolText): ToolParts {
  const [, before = lead, answer] =
    /^([\s\S]*?)\n?\*\*Answer:\*\* ?([\s\S]*)$/.exec(fences.length === 0 ? lead : '') ?? []
  const asked = answer === undefined ? lead : before.trim()
  const questions = name === 'AskUserQuestion' ? questionsIn(asked) : []
  if (questions.length > 0) {
    const output = answer === undefined ? outputOf(fences, tail) : answersTo(questions, answer)
    return { input: { questions }, output }
  }
  const input = kind === 'execute' ? commandInput(summary, asked) : argumentsIn(name, kind, summary, asked)
  return { input, output: answer ?? outputOf(fences, tail) }
}

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

const keys = tableOf({ read: 'file_path', delete: 'file_path', search: 'query', fetch: 'query' })
const pairs = /(?:^|\s)(path|pattern|glob|query|include|type) `([^`]*)`/g

function argumentsIn(name: string, kind: ToolKind, summary: string, asked: string): unknown {
  const paired = [...asked.matchAll(pairs)]
  if (paired.length > 0) return Object.fromEntries(paired.map(([, key = '', value = '']) => [key, value]))
  const quoted = /^`([^`]*)`$/.exec(asked)?.[1] ?? /`([^`]*)`$/.exec(summary)?.[1]
  const value = quoted ?? /(?:Read|Edit|Delete) file: (.+)$/.exec(summary)?.[1]
  const key = /fetch/i.test(name) ? 'url' : (keys.get(kind) ?? 'argument')
  if (value !== undefined) return { [key]: value }
  const words = [summary.replace(/^• /, ''), asked].filter((text) => text !== '').join('\n')
  return words === '' ? null : { description: words }
}

const heading = /\*\*(Add|Update|Delete|Move|Chunk)(?:: `([^`]*)`| \d+)?(?: (?:→|->|to) `([^`]*)`)?\*\*/

function editParts({ summary, fences, lead, tail, name }: ToolText): ToolParts {
  const last = fences.at(-1)
  const report = last && /^(?:text)?$/.test(last.language) && !isDiff(last) ? last.text : undefined
  const shown = report === undefined ? fences : fences.slice(0, -1)
  const told =
    /(?:[Tt]he file|created successfully at:|[Ww]rote to) (\S.*?)(?: has been \w+\b.*| \(file state is .*)?$/m
  const asked = /^`([^`]*)`$/.exec(lead) ?? /(?:Edit|Read|Write|Create) file: (.+)$/.exec(summary)
  const path = (asked ?? told.exec(report ?? ''))?.[1]
  // A heading that names a file belongs to its patch.
  const named = heading.test(lead)
  const texts = shown.map(({ before, text }) => (before === lead && !named ? text : `${before}\n${text}`))
  const text = texts.join('\n').trim() === '' ? undefined : texts.join('\n')
  const about = [named ? '' : lead, tail].filter((words) => words !== '' && words !== `\`${path}\``)
  const input = known({
    file_path: path,
    [/write|create/i.test(name) ? 'content' : 'patch']: text,
    description: about.join('\n') || undefined,
  })
  return {
    input: Object.keys(input).length === 0 ? null : input,
    output: report,
    changes: shown.flatMap((fence) => changesIn(fence, path)),
  }
}

function isDiff({ language, text }: Fence): boolean {
  return language === 'diff' || /^(?:@@|\+\+\+ |--- )/m.test(text)
}

const actions = tableOf<FileChange['action']>({ Add: 'created', Delete: 'deleted' })

function changesIn(fence: Fence, path: string | undefined): FileChange[] {
  const [, verb, named, moved] = heading.exec(fence.before) ?? []
  const file = moved ?? named ?? path
  if (file === undefined || !isDiff(fence)) return []
  const added = fence.text.match(/^\+(?!\+\+ )/gm)?.length ?? 0
  const removed = fence.text.match(/^-(?!-- )/gm)?.length ?? 0
  const action = actions.get(verb) ?? (moved === undefined ? 'modified' : 'renamed')
  return [{ path: file, action, ...known({ from: moved && named }), added, removed }]
}

const entities = tableOf({ '&#96;': '`', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' })

function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:#96|lt|gt|quot|amp);/g, (entity) => entities.get(entity) ?? entity)
}

function questionsIn(text: string) {
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
 * As Claude Code has them, `"question"="label"`. The labels divide the text: what is between two of them answers the
 * questions between, or stays as it is if these are several and it does not say which words answer which.
 */
function answersTo(questions: ReturnType<typeof questionsIn>, text: string): string {
  if (questions.length === 1) return text.split(preview)[0] ?? text
  const rest = `, ${text.trim()}`
  const answers: string[] = []
  let place = 0
  let from = 0
  const pair = (answer: string): unknown => answers.push(`"${questions[place++]?.question}"="${answer}"`)
  const pairFree = (end: number, next: number): void => {
    const words = rest.slice(from + 2, end)
    const parts = next - place === 1 ? [words] : words.split(', ')
    if (parts.length === next - place) for (const part of parts) pair(part)
    else if (words !== '') answers.push(words)
    place = next
  }
  for (const [index, { options }] of questions.entries()) {
    const found = options.flatMap(({ label }) => {
      const at = rest.indexOf(`, ${label}`, from)
      const end = at + 2 + label.length
      const [before, after] = [rest.slice(from, at), rest.slice(end)]
      const isAnswer = at !== -1 && answerEnd.test(after) && separators(after) >= questions.length - 1 - index
      return isAnswer && separators(before) >= index - place ? [{ at, end, label }] : []
    })
    const first = found.sort((a, b) => a.at - b.at)[0]
    if (first === undefined) continue
    if (place < index) pairFree(first.at, index)
    pair(first.label)
    from = first.end
  }
  if (place < questions.length) pairFree(rest.length, questions.length)
  return answers.join(', ')
}

const separators = (text: string): number => text.split(', ').length - 1
const preview = /" (?:selected preview|(?:user )?notes):/
const answerEnd = /^(?:$|, |" (?:selected preview|(?:user )?notes):)/
