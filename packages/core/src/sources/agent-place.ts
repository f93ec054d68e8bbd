/** Settings that determine where an agent keeps its sessions. */
export interface AgentPlace {
  readonly env: NodeJS.ProcessEnv
  readonly home: string
  readonly cwd: string
  readonly platform: NodeJS.Platform
}
