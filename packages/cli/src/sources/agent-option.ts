import { type SourceAgent, sourceAgents } from '@tenfold/core/readers'
import { option } from '../options/option.ts'
import { listOf, notOneOf } from '../options/parsers.ts'

export const agentOption = option('--agent <name>', 'only logs of this agent; may be repeated', {
  parse: listOf(parseAgent),
})

function parseAgent(value: string): SourceAgent {
  // What `tenfold install` calls it.
  const wanted = value === 'gemini' ? 'gemini-cli' : value
  const agent = sourceAgents.find(({ name }) => name === wanted)
  if (agent !== undefined) return agent
  throw notOneOf(
    sourceAgents.map(({ name }) => name),
    value,
  )
}
