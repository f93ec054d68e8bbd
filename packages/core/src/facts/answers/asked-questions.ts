import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import type { ToolCallEvent } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { textAt } from '../../tools/tool-uses.ts'
import { type OfferedOption, optionLists } from './offered-options.ts'

/** A question that a tool asked the user. */
export interface AskedQuestion {
  readonly id?: string
  readonly question: string
  readonly options: readonly OfferedOption[]
}

const askingTool =
  /(?:^|[_.-])(?:ask|asks|question|questions|clarify|elicit|elicitation)(?:$|[_.-])|^ask(?:user|human|question|followup|clarif)|ask_?(?:user|human|questions?|followup)|questions?$|(?:user|human)_?input|request_?input/i

/** Returns the questions of a call that asks the user, in order; none for other calls. */
export function questionsOf(call: ToolCallEvent): AskedQuestion[] {
  const input = json.fields(call.input)
  const list = parsed(input.questions)
  const named = askingTool.test(call.name)
  if (Array.isArray(list)) {
    const questions = list.flatMap((item: unknown) => questionIn(item))
    return named || questions.some(({ options }) => options.length > 0) ? questions : []
  }
  return named ? questionIn(input) : []
}

const presentsPlan = /^(?:plan_?mode_?respond|exit_?plan_?mode|present_?plan|request_?permissions?)$/i

/** Returns what a call asks the user, one line each: its questions with the options, or the title of its plan. */
export function askedTexts(call: ToolCallEvent): string[] {
  const questions = questionsOf(call)
  if (questions.length > 0)
    return questions.map(({ question, options }) => {
      const labels = options.map(({ label }) => label).filter((label) => !question.includes(label))
      return shortQuestion(labels.length === 0 ? question : `${question} (${labels.slice(0, 8).join(' / ')})`)
    })
  if (!presentsPlan.test(call.name.replace(/^mcp__.*__/, '').replaceAll('-', '_'))) return []
  const plan =
    textAt(call.input, 'plan', 'response', 'content') ?? (typeof call.input === 'string' ? call.input : '')
  const title = plan.split('\n').find((line) => line.trim() !== '') ?? ''
  return [shortQuestion(`plan: ${title.replace(/^[#`\s]+/, '')}`)]
}

const maxQuestionLength = 300

function shortQuestion(text: string): string {
  return cutHead(cleanLine(text.slice(0, maxQuestionLength * 4)), maxQuestionLength).trim()
}

function questionIn(value: unknown): AskedQuestion[] {
  const record = json.fields(value)
  const question =
    typeof value === 'string'
      ? value
      : textAt(record, 'question', 'prompt', 'message', 'text', 'title', 'query', 'description', 'header')
  if (question === undefined || question.trim() === '') return []
  const id = textAt(record, 'id', 'name', 'key')
  const offered = ['options', 'choices', 'follow_up', 'followUp', 'suggestions', 'answers']
    .map((key) => optionList(parsed(record[key])))
    .find((options) => options.length > 0)
  const options = offered ?? optionLists(question).at(-1) ?? []
  const [asked = ''] = offered === undefined ? question.split(/\n\s*Options:/i) : [question]
  return [{ ...known({ id }), question: asked.replace(/\*\*/g, '').trim(), options }]
}

/** Some clients pass lists as text: JSON, or `<suggest>` elements. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (text.startsWith('[')) return json.parse(text)
  const suggested = text.matchAll(/<suggest\b[^<>]{0,200}>([^<]{1,1000})/g)
  return [...suggested].map(([, words = '']) => words.trim())
}

function optionList(value: unknown): OfferedOption[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown): OfferedOption[] => {
    const label =
      typeof item === 'string'
        ? item
        : textAt(item, 'label', 'title', 'name', 'answer', 'text', 'value', 'id')
    if (label === undefined || label.trim() === '') return []
    const description = textAt(item, 'description', 'detail', 'explanation', 'reason')
    return [{ label: label.trim(), ...(description === undefined ? {} : { description }) }]
  })
}

/** Maximum length of a parsed result: answers are short, but clients repeat long previews in them. */
const longest = 60_000

/** Maximum kept length of an answer in the user's own words. */
const maxAnswerLength = 2000

/**
 * Parses the user's answer to each question, by position: from `"question"="answer"` pairs, JSON keyed by id, position
 * or question, or the whole text if there was one question. A question without an answer is absent.
 */
export function answersIn(text: string, questions: readonly AskedQuestion[]): Map<number, string> {
  const result = text.slice(0, longest)
  const pairs = pairsIn(result, questions)
  const found = pairs.size > 0 ? pairs : (fromJson(result, questions) ?? new Map<number, string>())
  const only = questions.length === 1 && found.size === 0 ? wholeAnswer(result) : undefined
  if (only !== undefined) found.set(0, only)
  return new Map(
    [...found].flatMap(([place, answer]) => {
      const words = answer.trim().slice(0, maxAnswerLength)
      return words === '' || noAnswer.test(words) ? [] : [[place, words] as const]
    }),
  )
}

const noAnswer =
  /^\(?(?:no (?:answer|response|selection|preference)\b|not answered|unanswered|skipped|dismissed|timed? ?out|the user (?:is not available|did(?:n't| not) (?:answer|respond)|dismissed|declined|cancell?ed|wants to clarify)|user (?:dismissed|declined|cancell?ed|skipped|did not)|cancell?ed|null|undefined|\{\}$)/i

/** Parses consecutive `"question"="answer"` pairs; an answer ends before the next question or a remark of the client. */
function pairsIn(text: string, questions: readonly AskedQuestion[]): Map<number, string> {
  const starts = questions.flatMap(({ question, options }, place) => {
    const mark = `"${question}"=`
    const at = text.indexOf(mark)
    return at < 0 ? [] : [{ place, at, from: at + mark.length, options }]
  })
  starts.sort((a, b) => a.at - b.at)
  return new Map(
    starts.map(({ place, from, options }, index) => {
      const part = text.slice(from, starts[index + 1]?.at ?? text.length)
      return [place, pairAnswer(part, options)]
    }),
  )
}

function pairAnswer(part: string, options: AskedQuestion['options']): string {
  const note = /(?:^|["\n)]) ?(?:user )?notes: ?([^\n]{1,1000})/i.exec(part)?.[1]?.split(closing)[0] ?? ''
  // An unquoted answer is a remark of the client: `(no option selected)`.
  const quoted = part.startsWith('"') ? part.slice(1) : ''
  const label = options.find((option) => quoted.startsWith(`${option.label}"`))?.label
  const plain = label ?? quoted.split(/" (?:selected preview|(?:user )?notes):/)[0]?.split(closing)[0] ?? ''
  return note === '' ? plain : plain === '' ? note : `${plain} (${note.trim()})`
}

/** Text that a client adds after an answer or between two. */
const closing = /"\. You can now |\.{1,2} Read the answers |",\s*$|"\.?\s*$/

/** Parses answers in JSON: `{answers: {id: ...}}`, or the answers themselves. */
function fromJson(text: string, questions: readonly AskedQuestion[]): Map<number, string> | undefined {
  const at = text.indexOf('{')
  if (at < 0 || text.slice(0, at).length > 80) return undefined
  const value = json.parse(text.slice(at))
  // A text with a brace in it.
  if (value === undefined) return undefined
  const record = json.fields(value)
  const answers =
    record.answers ?? record.responses ?? record.answer ?? record.response ?? record.content ?? value
  if (questions.length === 1 && (typeof answers === 'string' || Array.isArray(answers)))
    return new Map([[0, answerText(answers)]])
  const byKey = json.fields(answers)
  const list: unknown[] = Array.isArray(answers) ? answers : []
  const found = new Map<number, string>()
  questions.forEach(({ id, question }, place) => {
    const key = [id, question, String(place)].find((name) => name !== undefined && Object.hasOwn(byKey, name))
    const given = key === undefined ? list[place] : byKey[key]
    const answer = answerText(given)
    if (answer !== '') found.set(place, answer)
  })
  return found
}

function answerText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value))
    return value
      .map(answerText)
      .filter((text) => text !== '')
      .join(', ')
  const record = json.fields(value)
  const inner =
    record.answers ?? record.answer ?? record.selected ?? record.label ?? record.value ?? record.text
  return inner === undefined || inner === value ? '' : answerText(inner)
}

/** Returns the answer to the only question, without the element or words that a client wraps around it. */
function wholeAnswer(text: string): string | undefined {
  const element = /<(answer|user_message|response)>([\s\S]{1,4000}?)<\/\1>/.exec(text)?.[2]
  if (element !== undefined) return element
  const words = text
    .trim()
    .replace(
      /^(?:the )?user(?:'s)? (?:has )?(?:selected|chose|picked|responded|answered|replied|said|answer|response)(?: (?:with|option))?\s*:\s*/i,
      '',
    )
    .replace(/^(?:answer|response|selected)\s*:\s*/i, '')
  return words.length > maxAnswerLength || /\(No answer provided\)|<\/?tool_use_error>|"="/.test(words)
    ? undefined
    : words
}
