import { markdownTable } from '@tenfold/measure/internal'
import type { AgentResult, Share } from './measure-agents.ts'

/** One row for each log and each agent, and with `worst` what is wrong in the first logs with faults. */
export function renderAgents(results: readonly AgentResult[], worst: number): string {
  const agents = [...new Set(results.map(({ agent }) => agent))]
  const sums = agents.map((agent) =>
    row(
      sumOf(
        agent,
        results.filter((one) => one.agent === agent),
      ),
    ),
  )
  const faulty = results.filter(({ faults }) => faults.length > 0)
  const details = faulty
    .slice(0, worst)
    .flatMap(({ name, faults }) => [name, ...faults.map((fault) => `  ${fault}`)])
  return [
    ...(details.length > 0 ? [details.join('\n')] : []),
    markdownTable(header, results.map(row)),
    markdownTable(header, [...sums, row(sumOf('all', results))]),
    `${results.length - faulty.length} of ${results.length} logs without a fault`,
  ].join('\n\n')
}

const header = ['log', 'prompts', 'calls', 'extra', 'exits', 'files', 'usage', 'subagents', 'unknown']

interface Row extends Omit<AgentResult, 'usage' | 'faults' | 'agent'> {
  readonly usage: string
}

function row({
  name,
  prompts,
  calls,
  extra,
  exits,
  files,
  usage,
  subagents,
  unknown,
}: AgentResult | Row): string[] {
  return [
    name,
    shown(prompts),
    shown(calls),
    String(extra),
    shown(exits),
    shown(files),
    typeof usage === 'string' ? usage : usage ? 'equal' : 'differs',
    shown(subagents),
    String(unknown),
  ]
}

function sumOf(name: string, results: readonly AgentResult[]): Row {
  const add = (share: (result: AgentResult) => Share): Share => ({
    found: results.reduce((sum, result) => sum + share(result).found, 0),
    of: results.reduce((sum, result) => sum + share(result).of, 0),
  })
  const count = (value: (result: AgentResult) => number): number =>
    results.reduce((sum, result) => sum + value(result), 0)
  return {
    name,
    prompts: add(({ prompts }) => prompts),
    calls: add(({ calls }) => calls),
    extra: count(({ extra }) => extra),
    exits: add(({ exits }) => exits),
    files: add(({ files }) => files),
    usage: shown({ found: count(({ usage }) => Number(usage)), of: results.length }),
    subagents: add(({ subagents }) => subagents),
    unknown: count(({ unknown }) => unknown),
  }
}

function shown({ found, of }: Share): string {
  return of === 0 ? '–' : `${found}/${of}`
}
