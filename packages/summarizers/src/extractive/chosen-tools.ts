import { cleanLine, type Steps } from '@tenfold/core/internal/summarizer'
import type { CommandFact, Decision } from '@tenfold/core/summarizer'
import { clip } from './sentences.ts'

// What adds a library to a project, and what starts one from a template.
const adds =
  /(?:^|[\s;&|(])(?:(?:npm|pnpm|yarn|bun|deno) (?:add|install|i)|(?:uv|poetry|pdm|cargo) add|(?:uv )?pip3? install|go get|composer require|gem install|bundle add|dotnet add(?: \S+)? package)\s+([^;&|\n]{1,300})/
const starts =
  /(?:^|[\s;&|(])(?:(?:npx|pnpm dlx|bunx|yarn dlx) (?:-\S+ )*(create-[\w@./-]+)|(npm (?:create|init)|pnpm create|yarn create|bun create|cargo (?:new|init)|uv init|rails new|django-admin startproject|dotnet new|flutter create|ng new|mix new))\s+([^;&|\n]{1,300})/

/** Libraries that the agent added and projects that it started; the command that succeeded says which, and how. */
export function* chosenTools(commands: readonly CommandFact[]): Steps<Decision[]> {
  const chosen: Decision[] = []
  for (const { command: whole, status, call } of commands) {
    yield
    // A commit message may quote other commands.
    const words = (cleanLine(whole).split('<<')[0] ?? '').replace(/"[^"]*"|'[^']*'/g, '""')
    const [adding, packages = ''] = adds.exec(words) ?? []
    const added = packages
      .split(/\s+/)
      .filter((word, at, all) => packageName.test(word) && !/^-/.test(all[at - 1] ?? ''))
    const [starting, template, program = template, rest = ''] = starts.exec(words) ?? []
    const name = rest.split(' ').find((word) => !word.startsWith('-')) ?? ''
    const topic =
      added.length > 0 ? `libraries: ${added.join(', ')}` : program && `start of ${program} ${name}`.trim()
    if (topic === undefined || (status !== 'ok' && status !== 'unknown')) continue
    const start = (added.length > 0 ? adding : starting) ?? ''
    const choice = clip(start.replace(/^[\s;&|(]+|\s+\d?>.*$|\s+$/g, ''), 240)
    chosen.push({ topic: clip(topic, 160), choice, alternatives: [], by: 'agent', evidence: [call] })
  }
  return chosen
}

const packageName = /^(?!requirements)@?[a-z][\w./@:[\]=~^<>-]*$/i
