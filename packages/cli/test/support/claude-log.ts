import { writeFileSync } from 'node:fs'

export interface ClaudeLog {
  readonly session?: string
  readonly title?: string
  /** Rounds of prompt, call, result and answer. @default 6 */
  readonly rounds?: number
  /** Words in each tool result. @default 150 */
  readonly words?: number
  /** Hours after the others that it begins. @default 0 */
  readonly hours?: number
}

const words =
  'parser retry cache queue worker schema index token buffer socket cursor digest branch record window'.split(
    ' ',
  )

/** Lines of a session as Claude Code writes them: prompts, reads, edits, a failing and a passing test run. */
export function claudeLog({
  session = 'session-1',
  title,
  rounds = 6,
  words: size = 150,
  hours = 0,
}: ClaudeLog = {}): string {
  const lines: unknown[] = []
  let number = 0
  const base = (): Record<string, unknown> => {
    number += 1
    return {
      parentUuid: number === 1 ? null : `${session}-${number - 1}`,
      uuid: `${session}-${number}`,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/dev/shop',
      sessionId: session,
      version: '2.1.0',
      gitBranch: 'main',
      timestamp: new Date(Date.UTC(2026, 0, 2, 3 + hours, 0, number)).toISOString(),
    }
  }
  const say = (content: unknown[], round: number): void => {
    const usage = {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 5,
    }
    const message = {
      id: `msg-${session}-${round}-${lines.length}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-4-7',
      content,
      usage,
    }
    lines.push({ ...base(), type: 'assistant', requestId: `req-${lines.length}`, message })
  }
  const hear = (content: unknown): void => {
    lines.push({ ...base(), type: 'user', message: { role: 'user', content } })
  }
  if (title !== undefined) lines.push({ type: 'summary', summary: title, leafUuid: `${session}-1` })
  for (let round = 1; round <= rounds; round++) {
    const path = `/home/dev/shop/src/part-${round}.ts`
    const failed = round % 3 === 0
    hear(`Fix part ${round} of the shop. Never touch the public API of part ${round}.`)
    const read = `toolu_${session}_${round}_r`
    say(
      [
        { type: 'text', text: `I will read part ${round} first.` },
        { type: 'tool_use', id: read, name: 'Read', input: { file_path: path } },
      ],
      round,
    )
    hear([{ type: 'tool_result', tool_use_id: read, content: text(round, size) }])
    const edit = `toolu_${session}_${round}_e`
    say(
      [
        {
          type: 'tool_use',
          id: edit,
          name: 'Edit',
          input: { file_path: path, old_string: text(round, 20), new_string: text(round + 1, 24) },
        },
      ],
      round,
    )
    hear([{ type: 'tool_result', tool_use_id: edit, content: `The file ${path} has been updated.` }])
    const run = `toolu_${session}_${round}_t`
    say([{ type: 'tool_use', id: run, name: 'Bash', input: { command: `npm test -- part-${round}` } }], round)
    hear([
      {
        type: 'tool_result',
        tool_use_id: run,
        is_error: failed,
        content: failed ? `Exit code 1\nError: part ${round} is broken` : 'ok, 3 tests passed',
      },
    ])
    say(
      [
        {
          type: 'text',
          text: `Part ${round} is ${failed ? 'still failing; next I will run npm test again' : 'done'}.`,
        },
      ],
      round,
    )
  }
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
}

export function writeClaudeLog(path: string, log: ClaudeLog = {}): string {
  writeFileSync(path, claudeLog(log))
  return path
}

/** Words that differ from place to place, without randomness. */
function text(seed: number, count: number): string {
  return Array.from(
    { length: count },
    (_, at) => `${words[(seed * 7 + at * at) % words.length]}${(seed * 31 + at) % 97}`,
  ).join(' ')
}
