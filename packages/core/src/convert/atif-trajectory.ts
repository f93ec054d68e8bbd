/**
 * The parts of the Agent Trajectory Interchange Format, version 1.7, that a session needs
 * (https://www.harborframework.com/docs/agents/trajectory-format). Other keys go into `extra`.
 */
export interface AtifTrajectory {
  readonly schema_version: 'ATIF-v1.7'
  readonly session_id: string
  readonly trajectory_id: string
  readonly agent: {
    readonly name: string
    readonly version: string
    readonly model_name?: string
    readonly extra?: AtifExtra
  }
  readonly steps: readonly AtifStep[]
  readonly notes?: string
  readonly final_metrics?: {
    readonly total_prompt_tokens?: number
    readonly total_completion_tokens?: number
    readonly total_cached_tokens?: number
    readonly total_steps: number
    readonly extra?: AtifExtra
  }
  readonly subagent_trajectories?: readonly AtifTrajectory[]
  readonly extra?: AtifExtra
}

export type AtifExtra = Readonly<Record<string, unknown>>

/** `step_id` counts from 1; only the agent's steps have calls and reasoning. */
export interface AtifStep {
  readonly step_id: number
  /** ISO 8601, UTC. */
  readonly timestamp?: string
  readonly source: 'system' | 'user' | 'agent'
  readonly model_name?: string
  readonly message: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly AtifToolCall[]
  readonly observation?: { readonly results: readonly AtifResult[] }
  readonly is_copied_context?: true
  readonly extra?: AtifExtra
}

/** `arguments` is always an object. */
export interface AtifToolCall {
  readonly tool_call_id: string
  readonly function_name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly extra?: AtifExtra
}

/** `source_call_id` names a call of the same step. */
export interface AtifResult {
  readonly source_call_id?: string
  readonly content?: string
  readonly subagent_trajectory_ref?: readonly { readonly trajectory_id: string }[]
  readonly extra?: AtifExtra
}
