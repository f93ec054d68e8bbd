import type { ContextBundle } from '@tenfold/core'
import type { Score } from '@tenfold/measure'
import { scoreOf } from '@tenfold/measure/internal'
import type { Gold } from './load-gold.ts'
import { resumeVerdict, type Verdict } from './resume-verdict.ts'
import { areAlike, isLike } from './words.ts'

/** Names of the figures, in the order of the table. */
export const goldMetrics = [
  'constraints recall',
  'constraints strict',
  'constraints lenient',
  'open problems recall',
  'open problems precision',
  'decisions recall',
  'decisions precision',
  'decided by',
  'project rules recall',
  'files recall',
  'first command',
  'resume',
  'state',
  'last check',
  'work tree',
] as const
export type GoldMetric = (typeof goldMetrics)[number]

/** How one bundle does against one labelled session. `missed` of a precision names the wrong statements. */
export interface GoldResult {
  readonly name: string
  readonly scores: Readonly<Record<GoldMetric, Score>>
  /** Solved problems that the bundle shows as open. */
  readonly solvedShown: readonly string[]
  /** Figures that the bundle does not state: `unknown` is neither wrong nor right. */
  readonly unknown: readonly GoldMetric[]
  readonly resume: Verdict
  readonly decisions: number
}

/**
 * Measures a bundle against its labels. Texts match if 60 % of the words of one occur in the other; a constraint is
 * good if it matches one that holds or a project rule, and bad in the lenient count only if it matches a sentence
 * labelled as not a constraint.
 */
export function compareLabels(bundle: ContextBundle, gold: Gold): GoldResult {
  const constraints = bundle.constraints.map(({ text }) => text)
  const rules = textsOf(Reflect.get(bundle, 'projectRules'))
  const holds = gold.constraints.filter(({ status }) => status.startsWith('holds'))
  const binds = (text: string) => [...holds, ...gold.projectRules].some(({ quote }) => areAlike(quote, text))
  const isNone = (text: string) => gold.notConstraints.some(({ quote }) => areAlike(quote, text))
  const open = [
    ...bundle.errors.filter(({ resolution }) => resolution === undefined).map(({ message }) => message),
    ...bundle.workflow.blockers.map(({ text }) => text),
  ]
  const isProblem = (problem: Gold['openProblems'][number], text: string) =>
    areAlike(problem.quote, text) || isLike(problem.text, text)
  const isOpen = (text: string) => gold.openProblems.some((problem) => isProblem(problem, text))
  const command = bundle.nextSteps[0]?.command
  const stated = { ...stateOf(bundle, gold), ...checkOf(bundle, gold), ...treeOf(bundle, gold) }
  const found = gold.decisions.flatMap((decision) => {
    const same = bundle.decisions.filter((one) => isDecision(decision, one))
    return same.length === 0 ? [] : [{ decision, same }]
  })
  const resume = resumeVerdict(bundle, gold)
  return {
    name: gold.name,
    scores: {
      'constraints recall': scoreOf(
        holds,
        ({ quote }) => constraints.some((text) => isLike(quote, text)),
        quoteOf,
      ),
      'constraints strict': scoreOf(constraints, binds, same),
      'constraints lenient': scoreOf(constraints, (text) => binds(text) || !isNone(text), same),
      'open problems recall': scoreOf(
        gold.openProblems,
        (problem) => open.some((text) => isProblem(problem, text)),
        ({ quote, text }) => `${quote} (${text})`,
      ),
      'open problems precision': scoreOf(open, isOpen, same),
      'decisions recall': scoreOf(
        gold.decisions,
        (decision) => bundle.decisions.some((one) => isDecision(decision, one)),
        ({ by, choice, quote }) => `${by}: ${choice} (${quote})`,
      ),
      'decisions precision': scoreOf(
        bundle.decisions,
        (ours) => gold.decisions.some((decision) => isDecision(decision, ours)),
        ({ by, choice }) => `${by}: ${choice}`,
      ),
      'decided by': scoreOf(
        found,
        ({ decision, same: ours }) => ours.some(({ by }) => by === decision.by),
        ({ decision }) => `${decision.by}: ${decision.choice}`,
      ),
      'project rules recall': scoreOf(
        gold.projectRules,
        ({ quote }) => [...rules, ...constraints].some((text) => isLike(quote, text)),
        quoteOf,
      ),
      'files recall': scoreOf(
        gold.files,
        ({ path }) => bundle.files.some((file) => file.path.endsWith(path) || path.endsWith(file.path)),
        ({ path }) => path,
      ),
      'first command': one(
        command === undefined || gold.resume.command.includes(command.slice(0, 40)),
        `${command}, expected ${gold.resume.command || 'none'}`,
      ),
      resume: one(resume.is === 'right', `${resume.is}: ${resume.said}`),
      state: one(stated.state === 'right', stated.stateSaid),
      'last check': one(stated.check === 'right', stated.checkSaid),
      'work tree': one(stated.tree === 'right', stated.treeSaid),
    },
    solvedShown: open.filter(
      (text) => !isOpen(text) && gold.solvedProblems.some(({ quote }) => areAlike(quote, text)),
    ),
    unknown: [
      ...(stated.state === 'unknown' ? (['state'] as const) : []),
      ...(stated.check === 'unknown' ? (['last check'] as const) : []),
      ...(stated.tree === 'unknown' ? (['work tree'] as const) : []),
    ],
    resume,
    decisions: bundle.decisions.length,
  }
}

type Stated = 'right' | 'wrong' | 'unknown'

function isDecision(gold: Gold['decisions'][number], ours: ContextBundle['decisions'][number]): boolean {
  const said = `${ours.choice} ${ours.topic ?? ''}`
  return areAlike(gold.quote, said) || isLike(gold.choice, `${said} ${ours.rationale ?? ''}`)
}

function stateOf(bundle: ContextBundle, { state }: Gold): { state: Stated; stateSaid: string } {
  const ours: unknown = Reflect.get(bundle, 'state')
  const wanted = state.startsWith('waiting') ? 'waiting' : state.replaceAll(' ', '-')
  const said = `${typeof ours === 'string' ? ours : 'unknown'}, expected ${wanted}`
  if (typeof ours !== 'string' || ours === 'unknown') return { state: 'unknown', stateSaid: said }
  return { state: ours === wanted ? 'right' : 'wrong', stateSaid: said }
}

/** Right if result and staleness match the label; a bundle that names no result says nothing wrong. */
function checkOf(bundle: ContextBundle, { lastCheck }: Gold): { check: Stated; checkSaid: string } {
  const status: string = bundle.validation?.status ?? 'none'
  const result: unknown = Reflect.get(Object(bundle.validation), 'result')
  const wanted =
    lastCheck === undefined ? 'none' : `${lastCheck.result}${lastCheck.stillValid ? '' : ', stale since'}`
  const checkSaid = `${status}${typeof result === 'string' ? ` (${result})` : ''}, expected ${wanted}`
  if (lastCheck === undefined)
    return { check: status === 'none' ? 'right' : status === 'unknown' ? 'unknown' : 'wrong', checkSaid }
  if (status === 'none' || status === 'unknown') return { check: 'unknown', checkSaid }
  // Bundles of older versions call unknown and stale checks pending.
  if (status === 'pending') return { check: lastCheck.stillValid ? 'unknown' : 'right', checkSaid }
  const stale = status === 'stale'
  const ended = stale ? result : status
  const isSame =
    (ended === undefined || ended === 'unknown') && stale
      ? true
      : ended === (lastCheck.result === 'pass' ? 'green' : 'failed')
  return { check: isSame && stale === !lastCheck.stillValid ? 'right' : 'wrong', checkSaid }
}

function treeOf(bundle: ContextBundle, { uncommitted }: Gold): { tree: Stated; treeSaid: string } {
  const { dirty } = bundle.git
  const wanted = uncommitted.length > 0
  const treeSaid = `${dirty === undefined ? 'unknown' : dirty ? 'dirty' : 'clean'}, expected ${wanted ? 'dirty' : 'clean'}`
  return { tree: dirty === undefined ? 'unknown' : dirty === wanted ? 'right' : 'wrong', treeSaid }
}

function one(right: boolean, said: string): Score {
  return { kept: right ? 1 : 0, of: 1, missed: right ? [] : [said] }
}

function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown) => {
    const text: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, 'text') : item
    return typeof text === 'string' ? [text] : []
  })
}

function quoteOf({ quote }: { readonly quote: string }): string {
  return quote
}

function same(text: string): string {
  return text
}
