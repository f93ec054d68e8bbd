import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import type { ToolCallEvent } from '../../session/event.ts'
import { fieldsOf } from '../../session/json-values.ts'
import { textAt } from '../../tools/tool-uses.ts'
import { type OfferedOption, optionLists } from './offered-options.ts'

/** A question that a tool put to the user. */
export interface AskedQuestion {
  readonly id?: string
  readonly question: string
  readonly options: readonly OfferedOption[]
}

const askingTool =
  /(?:^|[_.-])(?:ask|asks|question|questions|clarify|elicit|elicitation)(?:$|[_.-])|^ask(?:user|human|question|followup|clarif)|ask_?(?:user|human|questions?|followup)|questions?$|(?:user|human)_?input|request_?input/i

/** The questions of a call that asks the user, in order; none if the call does something else. */
export function questionsOf(call: ToolCallEvent): AskedQuestion[] {
  const input = fieldsOf(call.input)
  const list = parsed(input.questions)
  const named = askingTool.test(call.name)
  if (Array.isArray(list)) {
    const questions = list.flatMap((item: unknown) => questionIn(item))
    return named || questions.some(({ options }) => options.length > 0) ? questions : []
  }
  return named ? questionIn(input) : []
}

const presentsPlan = /^(?:plan_?mode_?respond|exit_?plan_?mode|present_?plan|request_?permissions?)$/i

/** What a call asks the user, each on one line: its questions with the options, or the title of its plan. */
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
  const record = fieldsOf(value)
  const question =
    typeof value === 'string'
      ? value
      : textAt(record, 'question', 'prompt', 'message', 'text', 'title', 'query', 'description', 'header')
  if (question === undefined || question.trim() === '') return []
  const id = textAt(record, 'id', 'name', 'key')
  const offered = ['options', 'choices', 'follow_up', 'followUp', 'suggestions', 'answers']
    .map((key) => optionList(parsed(record[key])))
    .find((options) => options.length > 0)
  const options = offered ?? listedOptions(question)
  const asked =
    offered === undefined && options.length > 0 ? (question.split(/\n\s*Options:/i)[0] ?? '') : question
  return [{ ...(id === undefined ? {} : { id }), question: asked.replace(/\*\*/g, '').trim(), options }]
}

/** Some clients pass lists as text: JSON, or `<suggest>` elements. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (text.startsWith('[')) {
    try {
      return JSON.parse(text) as unknown
    } catch {
      // Not JSON after all: no readable list.
      return undefined
    }
  }
  return text.split('</suggest>').flatMap((part) => {
    const at = part.lastIndexOf('<suggest')
    const from = at < 0 ? -1 : part.indexOf('>', at)
    return from < 0 ? [] : [part.slice(from + 1).trim()]
  })
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

/** Options in the text of the question: a marked list, or a list of bold labels after `Options:`. */
function listedOptions(text: string): OfferedOption[] {
  const after = /\n\s*options:\s*\n/i.exec(text)
  if (after === null) return optionLists(text).at(-1) ?? []
  return text
    .slice(after.index + after[0].length, after.index + 20_000)
    .split('\n')
    .flatMap((line): OfferedOption[] => {
      const [, label, description] =
        /^\s*[-*•]\s+\*\*(.{1,200}?)\*\*(?:\s*[-–—:]\s*(.{1,1000}))?$/.exec(line) ?? []
      return label === undefined ? [] : [{ label, ...(description === undefined ? {} : { description }) }]
    })
}
