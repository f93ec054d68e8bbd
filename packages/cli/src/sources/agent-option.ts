import { type SourceAgent, sourceAgents } from '@tenfold/core'
import { InvalidArgumentError, Option } from 'commander'

/** `--agent NAME`, which may be repeated. */
export function agentOption(): Option {
  return new Option('--agent <name>', 'only logs of this agent; may be repeated').argParser(addAgent)
}

function addAgent(value: string, before: readonly SourceAgent[] = []): SourceAgent[] {
  // What `tenfold install` calls it.
  const wanted = value === 'gemini' ? 'gemini-cli' : value
  const agent = sourceAgents.find(({ name }) => name === wanted)
  if (agent !== undefined) return [...before, agent]
  const known = sourceAgents.map(({ name }) => name).join(', ')
  throw new InvalidArgumentError(`expected one of ${known}, got ${JSON.stringify(value)}`)
}
