import { cleanLine } from '@tenfold/core/internal/summarizer'
import type { CommandFact, Decision } from '@tenfold/core/summarizer'
import { clip } from './sentences.ts'

// What adds a library to a project, and what starts one from a template.
const adds =
  /(?:^|[\s;&|(])(?:(?:npm|pnpm|yarn|bun|deno) (?:add|install|i)|(?:uv|poetry|pdm|cargo) add|(?:uv )?pip3? install|go get|composer require|gem install|bundle add|dotnet add(?: \S+)? package)\s+([^;&|\n]{1,300})/
const starts =
  /(?:^|[\s;&|(])(?:(?:npx|pnpm dlx|bunx|yarn dlx) (?:-\S+ )*(create-[\w@./-]+)|(npm (?:create|init)|pnpm create|yarn create|bun create|cargo (?:new|init)|uv init|rails new|django-admin startproject|dotnet new|flutter create|ng new|mix new))\s+([^;&|\n]{1,300})/

/** Libraries that the agent added and projects that it started; the command that succeeded says which, and how. */
export function chosenTools(commands: readonly CommandFact[]): Decision[] {
  return commands.flatMap(({ command: whole, status, call }): Decision[] => {
    const line = cleanLine(whole)
    // A commit message may quote other commands.
    const words = (line.split('<<')[0] ?? '').replace(/"[^"]*"|'[^']*'/g, '""')
    const adding = adds.exec(words)
    const added = (adding?.[1] ?? '')
      .split(/\s+/)
      .filter((word, at, all) => packageName.test(word) && !/^-/.test(all[at - 1] ?? ''))
    const starting = starts.exec(words)
    const [, template, program, rest = ''] = starting ?? []
    const name = rest.split(' ').find((word) => !word.startsWith('-')) ?? ''
    const started = template ?? program
    const topic =
      added.length > 0 ? `libraries: ${added.join(', ')}` : started && `start of ${started} ${name}`.trim()
    if (topic === undefined || (status !== 'ok' && status !== 'unknown')) return []
    const [command] = added.length > 0 ? (adding ?? []) : (starting ?? [])
    const choice = clip((command ?? line).replace(/^[\s;&|(]+|\s+\d?>.*$|\s+$/g, ''), 240)
    return [{ topic: clip(topic, 160), choice, alternatives: [], by: 'agent', evidence: [call] }]
  })
}

const packageName = /^(?!requirements)@?[a-z][\w./@:[\]=~^<>-]*$/i
