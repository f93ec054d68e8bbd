import type { Session } from '@tenfold/core'
import { type BoundFacts, boundFactsOf, commandStatusScore, fileActionScore } from './facts/bound-facts.ts'
import { callsOf, type ReferenceFacts } from './facts/derive-facts.ts'
import { shellTextOf } from './facts/shell-programs.ts'
import { faithfulness, statementsOf } from './faithfulness.ts'
import { squeeze } from './quote.ts'
import { type Score, scoreOf } from './score.ts'
import { sessionText } from './session-text.ts'
import {
  ambiguousNames,
  hasCommand,
  hasPath,
  hasTerm,
  type MatchText,
  matchText,
  pathKeys,
} from './text-match.ts'

/** Names of the metrics, in the order of the table. */
export const metricNames = [
  'edited',
  'cmds',
  'user',
  'lastUser',
  'constr',
  'uids',
  'errors',
  'futPath',
  'futSym',
  'faith',
  'fileDone',
  'cmdExit',
] as const
export type MetricName = (typeof metricNames)[number]
export type Scores = Record<MetricName, Score>

/** The reference: the log's text and the reference facts that occur in it. */
export interface Yardstick {
  readonly logText: string
  readonly facts: ReferenceFacts
  readonly bound: BoundFacts
}

/** Share of a group's terms that must occur for the group to count. */
const groupShare = 0.6

/** The measure of one session. Facts that the log itself lacks, by the same matching, are not required. */
export function yardstickOf(session: Session, facts: ReferenceFacts): Yardstick {
  // Ids of subagents are in the log outside its text.
  const logText = `${sessionText(session)}\n${session.agents.map((agent) => agent.id).join('\n')}`
  const log = matchText(logText)
  const known = (terms: readonly string[]) => terms.filter((term) => hasTerm(log.lower, term.toLowerCase()))
  const knownGroups = (groups: readonly (readonly string[])[]) =>
    groups.map(known).filter((terms) => terms.length > 0)
  return {
    logText,
    bound: boundFactsOf(session),
    facts: {
      editedFiles: facts.editedFiles,
      lastCommands: facts.lastCommands.filter((command) => namesCommand(log, command)),
      userTerms: knownGroups(facts.userTerms),
      constraintTerms: knownGroups(facts.constraintTerms),
      userIds: known(facts.userIds),
      errorTerms: knownGroups(facts.errorTerms),
      laterPaths: facts.laterPaths.filter((path) => hasPath(log.lower, pathKeys(path))),
      laterSymbols: known(facts.laterSymbols),
    },
  }
}

/** Measures one text about a session: lexical retention, bound facts, faithfulness. Deterministic. */
export function measureText(markdown: string, yardstick: Yardstick): Scores {
  const { facts, bound, logText } = yardstick
  const statements = statementsOf(markdown)
  const text = matchText(statements)
  const ambiguous = ambiguousNames(facts.editedFiles)
  const has = (term: string) => hasTerm(text.lower, term.toLowerCase())
  const groups = (of: readonly (readonly string[])[]) =>
    scoreOf(
      of,
      (terms) => terms.filter(has).length >= groupShare * terms.length,
      (terms) => terms.join(' '),
    )
  const same = (value: string) => value
  return {
    edited: scoreOf(
      facts.editedFiles,
      (path) => hasPath(text.lower, pathKeys(path, ambiguous, bound.cwd)),
      same,
    ),
    cmds: scoreOf(facts.lastCommands, (command) => namesCommand(text, command), same),
    user: scoreOf(facts.userTerms.flat(), has, same),
    lastUser: scoreOf(facts.userTerms.at(-1) ?? [], has, same),
    constr: groups(facts.constraintTerms),
    uids: scoreOf(facts.userIds, has, same),
    errors: groups(facts.errorTerms),
    futPath: scoreOf(facts.laterPaths, (path) => hasPath(text.lower, pathKeys(path)), same),
    futSym: scoreOf(facts.laterSymbols, has, same),
    faith: faithfulness(statements, logText),
    fileDone: fileActionScore(text, bound),
    cmdExit: commandStatusScore(text, bound),
  }
}

function namesCommand(text: MatchText, command: string): boolean {
  return text.statements.some((line) => hasCommand(line, command))
}

/** A resume point is right if a user or the agent proposed or ran the command. Output of tools does not count. */
export function isKnownCommand(session: Session, command: string): boolean {
  const wanted = squeeze(command)
  const said = session.events.some(
    (event) => (event.type === 'user' || event.type === 'assistant') && squeeze(event.text).includes(wanted),
  )
  return said || callsOf(session).some(({ call }) => squeeze(shellTextOf(call.input) ?? '').includes(wanted))
}
