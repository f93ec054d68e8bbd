import type { HookAgent } from './hook-agents.ts'

export interface Given {
  readonly context: string
  readonly notice?: string | undefined
}

export function contextAnswer(agent: HookAgent, { context, notice }: Given): string {
  switch (agent) {
    case 'cursor':
      return JSON.stringify({ additional_context: context })
    case 'copilot-cli':
      return JSON.stringify({ additionalContext: context })
    case 'opencode':
    case 'pi':
    case 'cline':
      // Read by the plugin that `install` writes.
      return JSON.stringify({ context, notice })
    default:
      return JSON.stringify({
        systemMessage: notice,
        // Otherwise it prints the notice twice without a terminal.
        ...(agent === 'gemini' && { suppressOutput: true }),
        hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: context },
      })
  }
}

interface Briefed {
  readonly source: { readonly endedAt?: string | undefined }
  readonly createdAt: string
  readonly nextSteps?: readonly { readonly action: string }[] | undefined
  readonly carried?: readonly { readonly as: string }[] | undefined
}

export function noticeOf(
  { source, createdAt, nextSteps = [], carried = [] }: Briefed,
  now = new Date(),
): string {
  const ended = new Date(source.endedAt ?? createdAt)
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = `${ended.getFullYear()}-${two(ended.getMonth() + 1)}-${two(ended.getDate())} `
  const isToday = ended.toDateString() === now.toDateString()
  const time = `${isToday ? '' : day}${two(ended.getHours())}:${two(ended.getMinutes())}`
  const named = nextSteps.filter(({ action }) => !/^(?:nothing is open|answered)\b/i.test(action)).length
  const open = named + carried.filter((item) => item.as === 'step').length
  const steps = open === 1 ? '1 open step' : `${open} open steps`
  return `Tenfold: brief of ${time} given, ${steps} (tenfold show)`
}
