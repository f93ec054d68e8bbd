import { cleanLine } from '@tenfold/core/internal/summarizer'
import type { CommandFact, TranscriptItem } from '@tenfold/core/summarizer'
import { type FoundDecision, shortest } from './choices.ts'
import { clip } from './sentences.ts'

const heading = /^\s{0,3}(?:#{1,6}\s+(.{1,80})|\*\*(.{1,80}?):?\*\*:?)\s*$/
const title =
  /^(?:\d+[.)]\s*)?(?:(?:key|main|important|design|architectur(?:e|al)|technical|product|implementation|user|my|our|the) ){0,3}decisions?(?: (?:made|taken|so far|record|log))?(?:\s*[(:].{0,40})?$/i
const listItem = /^(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$/
/** A document with more decisions has a file of its own. */
const maxListed = 12

/**
 * Items of a list below a heading that calls them decisions, in a message of the user, an answer of the agent, or a plan
 * that the user handed over.
 */
export function listedDecisions({ type, label, text, event, agent }: TranscriptItem): FoundDecision[] {
  const isSaid = label === 'user' || label === 'plan' || type === 'assistant'
  if (agent !== 'main' || !isSaid || !/decision/i.test(text)) return []
  // An agent wrote the plan.
  const by = label === 'user' ? 'user' : 'agent'
  return itemsBelow(text).map((choice) => ({
    decision: { choice, alternatives: [], by, evidence: [event] },
    worth: 5,
  }))
}

function itemsBelow(text: string): string[] {
  const found: string[] = []
  let isOpen = false
  let isFenced = false
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced
    if (isFenced) continue
    const [, first, second] = heading.exec(line) ?? []
    const name = first ?? second
    if (name !== undefined) isOpen = title.test(name.replaceAll('*', '').trim())
    const [, words] = isOpen ? (listItem.exec(line) ?? []) : []
    const said = cleanLine(clip((words ?? '').replaceAll('**', ''), 300))
    if (said.length > shortest(said)) found.push(said)
  }
  return found.slice(0, maxListed)
}

// What adds a library to a project, and what starts one from a template with options.
const adds =
  /(?:^|[\s;&|(])((?:npm|pnpm|yarn|bun|deno|jsr) (?:add|install|i)|(?:uv|poetry|pdm|rye|cargo|flutter pub|dart pub) add|(?:uv )?pip3? install|go get|composer require|gem install|bundle add|dotnet add(?: \S+)? package|swift package add|mix deps\.add)\s+([^;&|\n]{1,300})/
const starts =
  /(?:^|[\s;&|(])((?:npx|pnpm dlx|bunx|yarn dlx|npm (?:create|init)|pnpm create|yarn create|bun create)\s+(?:-\S+\s+)*(?:create-)?[\w@./-]+|cargo (?:new|init)|uv init|poetry new|rails new|django-admin startproject|dotnet new|flutter create|ng new|vue create|laravel new|mix (?:new|phx\.new)|composer create-project)\s+([^;&|\n]{1,300})/

/** Libraries that the agent added and projects that it started; the command that succeeded says which, and how. */
export function chosenTools(commands: readonly CommandFact[]): FoundDecision[] {
  return commands.flatMap(({ command, status, call }): FoundDecision[] => {
    if (status !== 'ok' && status !== 'unknown') return []
    const line = cleanLine(command)
    const words = withoutTexts(line)
    const added = addedBy(words)
    const started = startedBy(words)
    const topic =
      added.length > 0
        ? `libraries: ${added.join(', ')}`
        : started === undefined
          ? undefined
          : `start of ${started}`
    if (topic === undefined) return []
    return [
      {
        decision: {
          topic: clip(topic, 160),
          choice: clip(line, 240),
          alternatives: [],
          by: 'agent',
          evidence: [call],
        },
        worth: started === undefined ? 4 : 5,
      },
    ]
  })
}

/** A command without its text arguments: a commit message may quote other commands. */
function withoutTexts(line: string): string {
  return (line.split('<<')[0] ?? '').replace(/"[^"]*"|'[^']*'/g, '""')
}

/** Names of packages that an installing command adds; none if it installs what the project already names. */
function addedBy(line: string): string[] {
  const [, , rest = ''] = adds.exec(line) ?? []
  return rest
    .split(/\s+/)
    .filter((word, at, words) => packageName.test(word) && !valued.test(words[at - 1] ?? ''))
}

const packageName = /^(?!requirements)@?[a-z][\w./@:[\]=~^<>-]*$/i
// Options whose value follows them.
const valued =
  /^(?:-r|-c|-C|-w|-F|--(?:requirement|registry|prefix|filter|index-url|workspace|project|group))$/

/** The template of a command that starts a project. Without an option of its own it only runs a tool. */
function startedBy(line: string): string | undefined {
  const [, program = '', rest = ''] = starts.exec(line) ?? []
  const template = program.split(' ').at(-1) ?? ''
  const isRun = /^(?:npx|bunx|pnpm dlx|yarn dlx)\b/.test(program)
  if (template === '' || (isRun && !/create|init|degit/.test(`${template} ${rest.split(' ')[0]}`)))
    return undefined
  return `${program.replace(/^(?:npx|bunx|pnpm dlx|yarn dlx)\s+(?:-\S+\s+)*/, '')} ${rest.split(' ').find((word) => !word.startsWith('-')) ?? ''}`.trim()
}
