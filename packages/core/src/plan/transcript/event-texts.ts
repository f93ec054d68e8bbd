import { type AskedQuestion, questionsOf } from '../../facts/answers/asked-questions.ts'
import { cleanText } from '../../session/clean-text.ts'
import { type ContextEvent, type EventId, eventIndex, type SessionEvent } from '../../session/event.ts'
import { shortLine } from '../../session/short-line.ts'
import { joinToolUses, type ToolUse, textAt } from '../../tools/tool-uses.ts'
import { belowCwd, withoutCd } from '../below-cwd.ts'
import { withoutPassedRuns } from '../decisive-lines.ts'
import type { Excerpt } from '../excerpt.ts'
import type { BundlePlan } from '../plan-bundle.ts'
import { type TextKind, textKinds } from '../text-kinds.ts'
import { commandOf, toolOutcome, toolTarget } from '../tool-line.ts'
import { isInstructions, reportText, startsAgent, type ToolText, taskOf, toolTexts } from '../tool-texts.ts'
import { editDiff } from './edit-diff.ts'
import { foldLines } from './fold-lines.ts'
import { groupHits } from './group-hits.ts'

/** The texts of an excerpt that a model may read, before they are cut to size. */
export interface EventTexts {
  readonly texts: readonly (ToolText & { readonly event: EventId })[]
  readonly events: readonly EventId[]
}

export function eventTextReader({ session, facts, counter }: BundlePlan): (excerpt: Excerpt) => EventTexts {
  const { events, cwd } = session
  const uses = new Map(joinToolUses(events).map((use) => [use.call.id, use]))
  const commands = new Map(facts.commands.map((command) => [command.call, command]))
  const omitted = (text: string) => `[…${counter.count(text)}]`

  const usesOf = ({ event, until = event, agent, turn }: Excerpt): ToolUse[] =>
    events
      .slice(eventIndex(event), eventIndex(until) + 1)
      .flatMap((each) => (each.agent === agent && each.turn === turn ? (uses.get(each.id) ?? []) : []))

  const lineOf = ({ call, result }: ToolUse, command?: string): string => {
    const target = command === undefined ? targetOf(call) : withoutCd(command, cwd)
    const purpose = command === undefined ? undefined : textAt(call.input, 'description')
    const why = purpose === undefined ? '' : `(${shortLine(purpose, 120)}) `
    return `${why}${target}${toolOutcome(call, result, commands.get(call.id))}`
  }

  /** The task of another agent is a separate text. */
  const targetOf = (call: ToolUse['call']): string => {
    const named = ['description', 'subagent_type', 'agent_type'].flatMap(
      (name) => textAt(call.input, name) ?? [],
    )
    return startsAgent(call.name) && taskOf(call.input) !== '' ? (named[0] ?? '') : toolTarget(call, cwd)
  }

  const textsOfUse = (use: ToolUse, isOne: boolean): EventTexts['texts'] => {
    const { call } = use
    const given = call.kind === 'execute' ? commandOf(call.input) : undefined
    const { command, texts = '' } = given === undefined ? {} : splitHeredocs(cleanText(given).trim())
    const line = lineOf(use, command)
    const results = toolTexts(use, {
      purpose: commands.get(call.id)?.purpose,
      clean: (output) => belowCwd(cleanOutput(output, call.kind), call.kind === 'read' ? undefined : cwd),
      edited: editDiff,
      omitted,
    })
    const diff = results.find(({ kind }) => kind === 'edit')?.text ?? ''
    const read: ToolText[] = [
      { kind: 'line', text: isOne ? line : `${call.id} ${line}` },
      { kind: 'edit', text: texts },
      { kind: 'question', text: questionsOf(call).map(questionText).join('\n') },
      ...results.map((each) => {
        const shown = shownOf(each, diff)
        const isSearch = each.kind !== 'check' && (call.kind === 'search' || searches.test(command ?? ''))
        return { ...each, text: folded(each.kind, isSearch ? groupHits(shown) : shown) }
      }),
    ]
    return read.map((text) => ({ ...text, event: call.id }))
  }

  /** Shortens repetitive output, and reports to their texts. */
  const shownOf = ({ kind, text }: ToolText, diff: string): string => {
    if (kind === 'question') return text === '' ? '' : `answer: ${text}`
    if (kind === 'report') return reportText(text)
    if (kind === 'notice') return noticesOf(text, diff)
    return kind === 'check' ? withoutPassedRuns(text, omitted) : text
  }

  const folded = (kind: TextKind, text: string) => (textKinds[kind].folds ? foldLines(text, omitted) : text)

  return (excerpt) => {
    const run = excerpt.type === 'tool_call' ? usesOf(excerpt) : []
    if (run.length > 0)
      return {
        texts: run.flatMap((use) => textsOfUse(use, run.length === 1)).filter(({ text }) => text !== ''),
        events: run.flatMap(({ call, result }) => (result === undefined ? [call.id] : [call.id, result.id])),
      }
    const event = events[eventIndex(excerpt.event)]
    if (event !== undefined && isNotice(event))
      return {
        texts: [{ kind: 'report', text: reportText(event.text), event: event.id }],
        events: [event.id],
      }
    const texts = excerpt.parts.map((part) => ({
      kind: kindOf(part.kind, event),
      text: folded(part.kind, `${part.text}${part.suffix ?? ''}`),
      event: excerpt.event,
    }))
    return { texts, events: [excerpt.event] }
  }
}

const searches = /(?:^|[;&|(]\s*|\bgit )(?:grep|rg|ag|find|fd|ls)\b/

/** Whether a text of the harness is the result of another agent or of a background command. */
function isNotice(event: SessionEvent): event is ContextEvent {
  return (
    event.type === 'context' &&
    event.origin === 'notification' &&
    /^(?:subagent|task|agent)[-_]notification$/.test(event.name ?? '')
  )
}

function kindOf(kind: TextKind, event: SessionEvent | undefined): TextKind {
  // To a subagent, a task from its parent is what the user's message is to the main agent.
  if (kind === 'task' && event?.agent === 'main') return 'user'
  return kind === 'context' && event !== undefined && binds(event) ? 'instructions' : kind
}

/** Whether a text of the harness instructs the agent: a file of instructions, or the text of a command or a hook. */
function binds(event: SessionEvent): boolean {
  if (event.type !== 'context') return false
  const { origin, name = '', text } = event
  const isCommand = name === 'meta' || name.startsWith('/')
  return isCommand || isInstructions(name) || (origin === 'hook' && text.length < longHook)
}

/** Longer output of a hook is a log or a listing. */
const longHook = 2000

/** Shorter heredocs stay in their commands. */
const minLines = 8

/** Takes long heredocs out of a command, which remains readable: `cat > a.ts <<'EOF' […] EOF`. */
export function splitHeredocs(command: string) {
  const lines = command.split('\n')
  const kept: string[] = []
  const texts: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    kept.push(line)
    const word = /<<-?\s*(['"]?)([A-Za-z_]\w{0,60})\1/.exec(line.slice(0, 4000))?.[2]
    if (word === undefined) continue
    const end = lines.findIndex((each, index) => index > at && each.trim() === word)
    if (end - at <= minLines) continue
    texts.push(...lines.slice(at + 1, end))
    at = end
  }
  return { command: kept.join('\n'), texts: texts.join('\n') }
}

function questionText({ question, options }: AskedQuestion): string {
  const lines = options.map(({ mark, label, description }) => {
    const named = mark === undefined ? label : `${mark}) ${label}`
    return `- ${named}${description === undefined ? '' : `: ${description}`}`
  })
  return [`question: ${question}`, ...lines].join('\n')
}

/** Returns what a hook, a linter or a compiler reported in the result of an edit, without the file's new content. */
function noticesOf(output: string, diff: string): string {
  const edited = new Set(diff.split('\n').map((line) => line.slice(1).trim()))
  return output
    .split('\n')
    .filter((line) => !/^\s*\d+\s*[→|\t]/.test(line) && !edited.has(line.trim()) && !confirmsEdit.test(line))
    .join('\n')
    .trim()
}

const confirmsEdit =
  /^.{0,300}\b(?:has been|have been|was|were)? ?(?:successfully )?(?:updated|created|written|applied|edited|replaced|saved)\b|^(?:done|success)\b|running `cat -n`/i

/** Removes reminders that a harness adds to the output of any tool. */
function withoutReminders(output: string): string {
  return output.replace(/<system-reminder>[^<]{0,20000}<\/system-reminder>/g, '')
}

/** Cleans an output for a model: without additions of a harness and without line numbers. */
function cleanOutput(text: string, kind: ToolUse['call']['kind']): string {
  const clean = cleanText(text)
  // The lines of a file that an edit printed are found by their numbers.
  const unnumbered = kind === 'edit' ? clean : clean.replace(/^ {0,8}\d{1,6}→/gm, '')
  return withoutReminders(kind === 'read' ? unnumbered.replace(/^ {0,8}\d{1,6}(?:\t|: )/gm, '') : unnumbered)
    .replace(/<\/?tool_use_error>/g, '')
    .replace(/ \[ref=\w{1,12}\]| \[cursor=pointer\]/g, '')
    .replace(/^\s*\n/, '')
    .trimEnd()
}
