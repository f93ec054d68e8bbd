import type { Session } from '@tenfold/core'
import type { Steps } from '@tenfold/core/internal'
import { type BoundFacts, boundFactsOf, commandStatusScore, fileActionScore } from './facts/bound-facts.ts'
import { callsOf, type ReferenceFacts } from './facts/derive-facts.ts'
import { shellTextOf } from './facts/shell-programs.ts'
import { faithfulness, statementsOf } from './faithfulness.ts'
import { squeeze } from './quote.ts'
import { type Score, scoring, someOf } from './score.ts'
import { sessionLines } from './session-text.ts'
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

/** The reference for a measure: the log's text and the reference facts that occur in it. */
export interface Yardstick {
  /** The log's text by event, because one long text is slow to search. */
  readonly log: readonly string[]
  readonly facts: ReferenceFacts
  readonly bound: BoundFacts
}

/** Share of a group's terms that must occur for the group to count as kept. */
const groupShare = 0.6

/** Builds the reference for a session. Facts that the same matching does not find in the log are not required. */
export function* yardstickOf(session: Session, facts: ReferenceFacts): Steps<Yardstick> {
  const lines = [...(yield* sessionLines(session)), ...session.agents.map((agent) => agent.id)]
  const log: MatchText[] = []
  for (const line of lines) {
    yield
    log.push(matchText(line))
  }
  const keep = function* <T>(of: readonly T[], isIn: (text: MatchText, one: T) => boolean): Steps<T[]> {
    const kept: T[] = []
    for (const one of of) if (yield* someOf(log, (text) => isIn(text, one))) kept.push(one)
    return kept
  }
  const isTerm = ({ lower }: MatchText, term: string) => hasTerm(lower, term.toLowerCase())
  const groups = function* (of: readonly (readonly string[])[]): Steps<string[][]> {
    const kept: string[][] = []
    for (const terms of of) kept.push(yield* keep(terms, isTerm))
    return kept.filter((terms) => terms.length > 0)
  }
  return {
    log: lines,
    bound: yield* boundFactsOf(session),
    facts: {
      editedFiles: facts.editedFiles,
      lastCommands: yield* keep(facts.lastCommands, namesCommand),
      userTerms: yield* groups(facts.userTerms),
      constraintTerms: yield* groups(facts.constraintTerms),
      userIds: yield* keep(facts.userIds, isTerm),
      errorTerms: yield* groups(facts.errorTerms),
      laterPaths: yield* keep(facts.laterPaths, ({ lower }, path) => hasPath(lower, pathKeys(path))),
      laterSymbols: yield* keep(facts.laterSymbols, isTerm),
    },
  }
}

/** Measures a text about a session by lexical retention, bound facts and faithfulness. Deterministic. */
export function* measureText(markdown: string, yardstick: Yardstick): Steps<Scores> {
  const { facts, bound, log } = yardstick
  const statements = yield* statementsOf(markdown)
  const text = matchText(statements)
  yield
  const ambiguous = ambiguousNames(facts.editedFiles)
  const has = (term: string) => hasTerm(text.lower, term.toLowerCase())
  const groups = (of: readonly (readonly string[])[]) =>
    scoring(
      of,
      (terms) => terms.filter(has).length >= groupShare * terms.length,
      (terms) => terms.join(' '),
    )
  const same = (value: string) => value
  return {
    edited: yield* scoring(
      facts.editedFiles,
      (path) => hasPath(text.lower, pathKeys(path, ambiguous, bound.cwd)),
      same,
    ),
    cmds: yield* scoring(facts.lastCommands, (command) => namesCommand(text, command), same),
    user: yield* scoring(facts.userTerms.flat(), has, same),
    lastUser: yield* scoring(facts.userTerms.at(-1) ?? [], has, same),
    constr: yield* groups(facts.constraintTerms),
    uids: yield* scoring(facts.userIds, has, same),
    errors: yield* groups(facts.errorTerms),
    futPath: yield* scoring(facts.laterPaths, (path) => hasPath(text.lower, pathKeys(path)), same),
    futSym: yield* scoring(facts.laterSymbols, has, same),
    faith: yield* faithfulness(statements, log),
    fileDone: yield* fileActionScore(text, bound),
    cmdExit: yield* commandStatusScore(text, bound),
  }
}

function namesCommand(text: MatchText, command: string): boolean {
  return text.statements.some((line) => hasCommand(line, command))
}

/** Whether a user or the agent proposed or ran the command. Output of tools does not count. */
export function isKnownCommand(session: Session, command: string): boolean {
  const wanted = squeeze(command)
  const said = session.events.some(
    (event) => (event.type === 'user' || event.type === 'assistant') && squeeze(event.text).includes(wanted),
  )
  return said || callsOf(session).some(({ call }) => squeeze(shellTextOf(call.input) ?? '').includes(wanted))
}
