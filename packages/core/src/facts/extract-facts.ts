import { eventIndex } from '../session/event.ts'
import type { Session } from '../session/session.ts'
import { extractCommands } from './commands.ts'
import { extractErrors } from './errors.ts'
import type { Facts } from './facts.ts'
import { extractFiles } from './files.ts'
import { extractGit } from './git.ts'
import { extractIdentifiers } from './identifiers.ts'
import { pathNormalizer } from './log-path.ts'
import { extractRequirements } from './requirements.ts'
import { sessionState } from './session-state.ts'
import { readShellRuns } from './shell-runs.ts'
import { extractTasks } from './tasks.ts'
import { joinToolUses } from './tool-uses.ts'

/** Computes what a session tells without any judgement. Pure; takes arguments and outputs of any shape. */
export function extractFacts(session: Session): Facts {
  const { events } = session
  const uses = joinToolUses(events)
  const runs = readShellRuns(uses, session.format)
  const runOf = new Map(runs.map((run) => [run.use, run]))
  const normalize = pathNormalizer(session.cwd)
  const commands = extractCommands(uses, runs)
  const checks = commands.filter(({ purpose, status }) => purpose !== undefined && status !== 'denied')
  // A subagent checks parts; how the whole stands is what the agent itself ran last.
  const own = checks.findLast(({ call }) => session.events[eventIndex(call)]?.agent === 'main')
  const validation = own ?? checks.at(-1)
  const state = sessionState(events, uses)
  return {
    files: extractFiles(uses, runOf, normalize),
    commands,
    errors: extractErrors(uses, runOf, commands, normalize),
    tasks: extractTasks(uses),
    git: extractGit(session, uses, runOf, normalize),
    ...extractRequirements(events),
    identifiers: extractIdentifiers(events),
    ...(validation === undefined ? {} : { validation }),
    ...(state === undefined ? {} : { state }),
  }
}
