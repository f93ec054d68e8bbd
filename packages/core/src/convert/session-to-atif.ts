import { known } from '../session/known.ts'
import type { AgentNode, Session } from '../session/session.ts'
import { totalUsage, usageBy } from '../session/usage.ts'
import { atifSteps } from './atif-steps.ts'
import type { AtifTrajectory } from './atif-trajectory.ts'

const main = 'main'

/**
 * Converts a session into one ATIF trajectory. The trajectory of an agent contains those of its subagents, and the call
 * that started a subagent refers to it. `extra` holds what ATIF has no field for.
 */
export function sessionToAtif(session: Session): AtifTrajectory {
  const { title, cwd, branch, commit, startedAt, endedAt, notes, source } = session
  const trajectory = trajectoryOf(session, session.agents.find(({ id }) => id === main) ?? { id: main })
  return {
    ...trajectory,
    ...(notes.length > 0 && { notes: notes.map(({ code, message }) => `${code}: ${message}`).join('\n') }),
    extra: {
      ...known({ title, cwd, branch, commit, started_at: startedAt, ended_at: endedAt }),
      sha256: source.sha256,
    },
  }
}

function trajectoryOf(session: Session, agent: AgentNode): AtifTrajectory {
  const { id, format, agentVersion, models } = session
  const steps = atifSteps(session.events.filter((event) => event.agent === agent.id))
  const children = session.agents.filter((child) => parentOf(session, child) === agent.id)
  const [model] = agent.id === main ? models : steps.flatMap(({ model_name }) => model_name ?? [])
  return {
    schema_version: 'ATIF-v1.7',
    session_id: id,
    trajectory_id: agent.id === main ? id : agent.id,
    agent: {
      name: format,
      version: agentVersion ?? 'unknown',
      ...known({ model_name: model }),
      ...(agent.id !== main && {
        extra: known({ type: agent.type, title: agent.title, call_id: agent.callId }),
      }),
    },
    steps,
    final_metrics: metricsOf(session, agent.id, steps.length),
    ...(children.length > 0 && {
      subagent_trajectories: children.map((child) => trajectoryOf(session, child)),
    }),
  }
}

/** Agents not descended from the main agent become its children, so that none is left out. */
function parentOf({ agents }: Session, { id, parent }: AgentNode): string | undefined {
  if (id === main) return undefined
  const seen = new Set([id])
  let above = parent
  while (above !== undefined && above !== main && !seen.has(above)) {
    seen.add(above)
    above = agents.find((agent) => agent.id === above)?.parent
  }
  return above === main ? parent : main
}

function metricsOf(session: Session, agent: string, steps: number) {
  const entries = session.usage.filter((entry) => entry.agent === agent)
  const { inputTokens, outputTokens, cacheReadTokens } = totalUsage(entries)
  return {
    ...known({
      total_prompt_tokens: inputTokens,
      total_completion_tokens: outputTokens,
      total_cached_tokens: cacheReadTokens,
    }),
    total_steps: steps,
    ...(entries.length > 0 && { extra: { usage_by_model: Object.fromEntries(usageBy(entries, 'model')) } }),
  }
}
