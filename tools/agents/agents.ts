// Runs real agents against a scripted model server, with tenfold's hooks and MCP server, and prints what holds:
//   npm run agents -- [--work FOLDER] [AGENT…]
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { drivenAgents } from './agent-list.ts'
import { driveAgent } from './drive-agent.ts'
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
let faults = 0
for (const agent of drivenAgents.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
)) {
  const title = `${agent.name} ${agent.version}`
  try {
    const checks = Object.entries(await driveAgent(agent, work, standIn))
    const odd = checks.filter(([, fault]) => fault !== undefined)
    faults += odd.length
    process.stdout.write(`${title}: ${checks.length - odd.length} of ${checks.length} hold\n`)
    for (const [name, fault] of odd) process.stdout.write(`  ${name}: ${fault}\n`)
  } catch (error) {
    faults++
    process.stdout.write(`${title}: ${error instanceof Error ? error.message : String(error)}\n`)
  }
}
standIn.close()
process.exit(faults === 0 ? 0 : 1)
