import { known } from '../session/known.ts'
import { atOnce, type Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import { readShellRuns } from '../shell/shell-runs.ts'
import { joinToolUses } from '../tools/tool-uses.ts'
import { extractAnswers } from './answers/answers.ts'
import { commandProposals } from './commands/command-proposals.ts'
import { commandSteps, laterResults, withPastedRuns } from './commands/commands.ts'
import { lastCheck } from './commands/last-check.ts'
import { constraintSteps } from './constraints/constraints.ts'
import { errorSteps } from './errors/errors.ts'
import type { Facts } from './facts.ts'
import { guessFolder } from './files/file-touches.ts'
import { fileSteps } from './files/files.ts'
import { gitSteps } from './git/git.ts'
import { identifierSteps } from './identifiers/identifiers.ts'
import { pathNormalizer } from './log-path.ts'
import { namedFiles } from './named-files.ts'
import { projectRuleSteps } from './rules/project-rules.ts'
import { brokenOff } from './state/broken-off.ts'
import { openWork, withNamedCommands } from './state/open-work.ts'
import { sessionState } from './state/session-state.ts'
import { workPhase } from './state/work-phase.ts'
import { taskSteps } from './tasks.ts'

/** Computes everything known about a session without a summary. Accepts arguments and outputs of any shape. */
export function extractFacts(session: Session): Facts {
  return atOnce(factSteps(session))
}

/** {@link extractFacts} in steps that can pause between the facts. */
export function* factSteps(session: Session): Steps<Facts> {
  const { events } = session
  const uses = withPastedRuns(events, joinToolUses(events))
  yield
  const runs = yield* readShellRuns(uses, session.format)
  const runOf = new Map(runs.map((run) => [run.use, run]))
  yield
  const normalize = pathNormalizer(session.cwd ?? guessFolder(uses, runOf))
  const later = laterResults(uses)
  yield
  const commands = yield* commandSteps(uses, runs, later)
  yield
  const files = yield* fileSteps(uses, runOf, normalize)
  yield
  const validation = yield* lastCheck(events, commands, runs, files)
  yield
  const tasks = yield* taskSteps(events, uses)
  yield
  const state = sessionState(events, { uses, runs: runOf }, tasks, session.notes)
  const phase = workPhase(events, uses, commands)
  yield
  const identifiers = yield* identifierSteps(events)
  yield
  const errors = [...(yield* errorSteps(uses, runOf, commands, files, normalize)), ...brokenOff(events, uses)]
  yield
  const git = yield* gitSteps(session, uses, runOf, later, files, normalize)
  yield
  const constraints = yield* constraintSteps(
    events,
    state?.state === 'finished',
    state?.because === 'subagent' ? state.evidence[0] : undefined,
  )
  yield
  const answers = extractAnswers(events, uses)
  yield
  const open = openWork(events, { commands, files, git, tasks, answers, ...known({ state }) })
  yield
  const named = yield* namedFiles(events, files, identifiers, errors, normalize)
  yield
  const projectRules = yield* projectRuleSteps(
    events,
    uses,
    {
      files,
      constraints: constraints.constraints,
      isAnswered: state?.state === 'finished' || state?.state === 'waiting',
    },
    normalize,
  )
  const { type, title, parent } = session.agents.find(({ id }) => id === 'main') ?? {}
  const subagent = parent && [type, title, 'of', parent.slice(0, 13)].filter(Boolean).join(' ')
  const proposals = yield* commandProposals(events, commands)
  yield
  return {
    files,
    namedFiles: named,
    commands,
    errors,
    tasks,
    git,
    answers,
    ...constraints,
    projectRules,
    identifiers,
    openWork: open,
    proposals: withNamedCommands(proposals, open, commands),
    ...known({ validation, state, phase, subagent }),
  }
}
