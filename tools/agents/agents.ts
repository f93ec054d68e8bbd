// Runs real agents against a scripted model server, with tenfold's hooks and MCP server, and prints what holds:
//   npm run agents -- [--work FOLDER] [AGENT…]
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { drivenAgents } from './agent-list.ts'
import { checks, type Outcome, outcomesOf } from './checks.ts'
import { driveAgent } from './drive-agent.ts'
import { hookTimes } from './hook-times.ts'
import { startStandIn } from './stand-in.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { work: { type: 'string', default: join(tmpdir(), 'tenfold-agents') } },
})
const unknown = positionals.filter((name) => !drivenAgents.some((agent) => agent.name === name))
if (unknown.length > 0) {
  process.stderr.write(
    `expected names of ${drivenAgents.map(({ name }) => name).join(', ')}, got ${unknown.join(', ')}\n`,
  )
  process.exit(2)
}
const work = resolve(values.work)
mkdirSync(work, { recursive: true })
const standIn = await startStandIn()
const agents = drivenAgents.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const columns: (readonly Outcome[])[] = []
const notRun = { skipped: 'did not run' }
for (const agent of agents) {
  process.stderr.write(`${agent.name} ${agent.version} …\n`)
  try {
    const run = await driveAgent(agent, work, standIn)
    columns.push(await outcomesOf(run))
    process.stderr.write(hookTimes(run))
  } catch (error) {
    const wrong = error instanceof Error ? (error.stack ?? error.message) : String(error)
    columns.push(checks.map((_, index) => (index === 0 ? { wrong } : notRun)))
  }
}
standIn.close()

const word = (outcome: Outcome | undefined): string =>
  outcome === undefined ? 'ok' : 'skipped' in outcome ? '–' : 'WRONG'
const titles = agents.map(({ name, version }) => `${name} ${version}`)
const rows = checks.map(
  ([name], row) => `| ${name} | ${columns.map((column) => word(column[row])).join(' | ')} |`,
)
process.stdout.write(
  `| check | ${titles.join(' | ')} |\n|---|${titles.map(() => '---|').join('')}\n${rows.join('\n')}\n\n`,
)
for (const [index, column] of columns.entries())
  for (const [row, outcome] of column.entries())
    if (outcome !== undefined && outcome !== notRun)
      process.stdout.write(
        `${agents[index]?.name}, ${checks[row]?.[0]}: ${'skipped' in outcome ? `– ${outcome.skipped}` : outcome.wrong}\n`,
      )
process.exit(columns.flat().some((outcome) => outcome !== undefined && 'wrong' in outcome) ? 1 : 0)
