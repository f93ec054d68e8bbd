import { cleanLine, cleanText } from '../session/clean-text.ts'
import type { SessionEvent } from '../session/event.ts'
import { toolInputText } from '../session/event-text.ts'
import type { AgentNode, Session } from '../session/session.ts'
import { usageBy } from '../session/usage.ts'

/** Options of {@link sessionToMarkdown}. */
export interface SessionMarkdownOptions {
  /**
   * Maximum characters of tool arguments, tool results and harness texts; longer ones are cut in the middle. @default
   * 4000
   */
  readonly maxLength?: number | undefined
}

/**
 * Renders a session as Markdown, piece by piece: its turns, each event with its id, agent and time, and finally the
 * usage by agent and the notes. Messages of users and agents are complete; their Markdown cannot leave its block.
 */
export function* sessionToMarkdown(
  session: Session,
  options: SessionMarkdownOptions = {},
): Generator<string> {
  const { maxLength = 4000 } = options
  const names = new Map(session.agents.map((agent) => [agent.id, agentName(agent)]))
  yield heading(session)
  let turn: number | undefined
  for (const event of session.events) {
    if (event.turn !== turn && event.agent === 'main') {
      turn = event.turn
      yield `\n## ${turn === 0 ? 'Before the first message' : `Turn ${turn}`}\n`
    }
    yield eventBlock(event, names.get(event.agent) ?? cleanLine(event.agent), maxLength)
  }
  yield usageTable(session)
  yield noteList(session)
}

function heading(session: Session): string {
  const { title, id, format, agentVersion, cwd, branch, startedAt, endedAt, models, agents } = session
  const facts = [
    ['Session', id],
    ['Agent', [format, agentVersion].filter((text) => text !== undefined).join(' ')],
    ['Folder', cwd],
    ['Branch', branch],
    ['From', startedAt],
    ['To', endedAt],
    ['Models', models.join(', ')],
    ['Subagents', agents.length > 1 ? String(agents.length - 1) : undefined],
  ].filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '')
  const inline = (text: string): string => (text.includes('`') ? escaped(text) : `\`${text}\``)
  const list = facts.map(([name, value]) => `- ${name}: ${inline(cleanLine(value))}\n`).join('')
  return `# ${escaped(cleanLine(title ?? `Session ${id}`))}\n\n${list}`
}

function agentName({ id, type, title }: AgentNode): string {
  if (id === 'main') return 'agent'
  const about = [type, title].filter((text) => text !== undefined).join(', ')
  return cleanLine(about === '' ? `subagent ${id}` : `subagent ${id} (${about})`)
}

function eventBlock(event: SessionEvent, agent: string, maxLength: number): string {
  const standing = [
    ...(event.copied === true ? ['copied history'] : []),
    ...(event.inContext === false ? ['taken back'] : []),
  ]
  const head = (who: string, ...about: (string | undefined)[]): string => {
    const facts = [...about, ...standing, event.time].filter((fact) => fact !== undefined)
    const details = facts.map((fact) => ` · ${escaped(cleanLine(fact))}`).join('')
    return `\n**${event.id} ${escaped(who)}**${details}\n\n`
  }
  const cut = (text: string): string => {
    const half = Math.floor(maxLength / 2)
    const left = `[… ${text.length - 2 * half} characters left out …]`
    return text.length <= maxLength ? text : `${text.slice(0, half)}\n${left}\n${text.slice(-half)}`
  }
  switch (event.type) {
    case 'user': {
      const origin = event.origin === 'typed' ? undefined : event.origin
      return head('user', origin) + quoted(event.text) + images(event.images)
    }
    case 'context':
      return head(`${event.origin} → ${agent}`, event.name) + fenced(cut(event.text)) + images(event.images)
    case 'assistant':
      return head(agent, event.model, event.phase) + quoted(event.text)
    case 'reasoning':
      return head(agent, 'reasoning') + quoted(event.text)
    case 'tool_call':
      return head(agent, `calls ${event.name}`) + fenced(cut(toolInputText(event.input)))
    case 'tool_result': {
      const exit = event.exitCode === undefined ? undefined : `exit code ${event.exitCode}`
      return head(agent, `result, ${event.status}`, exit) + fenced(cut(event.text)) + images(event.images)
    }
    case 'subagent_start':
    case 'subagent_end':
      return head(agent, `${event.type === 'subagent_start' ? 'starts' : 'ends'} subagent ${event.child}`)
    case 'compaction':
      return head(agent, 'compaction', event.trigger) + quoted(event.text)
    case 'rewind':
      return head('user', `takes back ${event.turns} turns`)
    case 'other':
      return head(agent, `record of kind ${event.name}`) + fenced(cut(JSON.stringify(event.raw) ?? ''))
  }
}

function images(count: number | undefined): string {
  return count === undefined || count === 0
    ? ''
    : `*${count} ${count === 1 ? 'image' : 'images'}, not shown*\n`
}

/** Quotes a text, so that its headings and rules stay inside the quote, and escapes HTML tags. */
function quoted(text: string): string {
  const clean = cleanText(text).trim()
  const lines = clean.replaceAll(/<(?=[a-z/!?])/gi, '\\<').split('\n')
  return clean === '' ? '' : lines.map((line) => `${`> ${line}`.trimEnd()}\n`).join('')
}

/** Uses a fence longer than any run of backticks in the text. */
function fenced(text: string): string {
  const clean = cleanText(text)
  if (clean.trim() === '') return ''
  const longest = Math.max(2, ...(clean.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${clean}${clean.endsWith('\n') ? '' : '\n'}${fence}\n`
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|]/g, (mark) => `\\${mark}`)
}

function usageTable({ usage, agents }: Session): string {
  if (usage.length === 0) return ''
  const name = (id: string): string => agentName(agents.find((agent) => agent.id === id) ?? { id })
  const rows = usageBy(usage, 'agent').map(([agent, sum]) => {
    const counts = [sum.inputTokens, sum.cacheReadTokens, sum.outputTokens, sum.reasoningTokens]
    return `| ${escaped(name(agent))} | ${counts.map((count) => count ?? '').join(' | ')} |\n`
  })
  const head = '| agent | input | of it cached | output | of it reasoning |\n|---|--:|--:|--:|--:|\n'
  return `\n## Tokens billed\n\n${head}${rows.join('')}`
}

function noteList({ notes }: Session): string {
  if (notes.length === 0) return ''
  const lines = notes.map(({ code, message, file, line, count }) => {
    const place = file === undefined ? '' : ` (${cleanLine(file)}${line === undefined ? '' : `:${line}`})`
    const times = count === undefined || count === 1 ? '' : `, ${count} times`
    return `- ${escaped(`${cleanLine(code)}: ${cleanLine(message)}${place}${times}`)}\n`
  })
  return `\n## Odd in the log\n\n${lines.join('')}`
}
