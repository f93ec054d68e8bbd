import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import { fieldsOf } from '../../session/json-values.ts'
import { type ToolUse, textAt } from '../../tools/tool-uses.ts'

/** Tools by which agents ask the user, or present a plan to the user. */
const askingTool =
  /^(?:ask_?user(?:_?question)?|ask_?question|ask_?followup_?question|ask_?human|question|request_?user_?input|request_?(?:human_?)?(?:input|feedback|approval)|elicit\w*|user_?input|human_?input|get_?user_?input|clarif\w*|request_?permissions?|plan_?mode_?respond|exit_?plan_?mode|present_?plan)$/i

const maxQuestionLength = 300

/** Whether a call asks the user and gets its result from the user. */
export function asksUser({ call }: ToolUse): boolean {
  return askingTool.test(call.name.replace(/^mcp__.*__/, '').replaceAll('-', '_'))
}

/** Returns what such a call asks, each on one line: its questions with the options, or the title of its plan. */
export function questionsOf({ call }: ToolUse): string[] {
  const input = fieldsOf(call.input)
  const listed = Array.isArray(input.questions) ? input.questions : [call.input]
  const questions = listed.flatMap((item: unknown) => {
    const text =
      typeof item === 'string' ? item : textAt(item, 'question', 'prompt', 'message', 'text', 'query')
    if (text === undefined) return []
    const options = optionsOf(fieldsOf(item))
    return [short(options === '' ? text : `${text} (${options})`)]
  })
  if (questions.length > 0) return questions
  const plan =
    textAt(call.input, 'plan', 'response', 'content') ?? (typeof call.input === 'string' ? call.input : '')
  const title = plan.split('\n').find((line) => line.trim() !== '') ?? ''
  return [short(`plan: ${title.replace(/^[#`\s]+/, '')}`)].filter((text) => text !== 'plan:')
}

function optionsOf(item: Readonly<Record<string, unknown>>): string {
  const list = [item.options, item.choices, item.follow_up, item.suggestions].find(Array.isArray) ?? []
  return list
    .slice(0, 8)
    .flatMap((option: unknown) =>
      typeof option === 'string'
        ? [option]
        : (textAt(option, 'label', 'title', 'name', 'text', 'value') ?? []),
    )
    .join(' / ')
}

function short(text: string): string {
  return cutHead(cleanLine(text.slice(0, maxQuestionLength * 4)), maxQuestionLength).trim()
}
