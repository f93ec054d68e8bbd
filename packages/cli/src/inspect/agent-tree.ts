import type { AgentNode } from '@tenfold/core'

/**
 * Orders agents as a tree: each after its parent, with its depth. An agent whose parent is unknown is at the top; each
 * agent comes once.
 */
export function agentTree(
  agents: readonly AgentNode[],
): { readonly agent: AgentNode; readonly depth: number }[] {
  const known = new Set(agents.map((agent) => agent.id))
  const children = new Map<string, AgentNode[]>()
  for (const agent of agents) {
    if (agent.parent === undefined) continue
    const siblings = children.get(agent.parent)
    if (siblings === undefined) children.set(agent.parent, [agent])
    else siblings.push(agent)
  }
  const tree: { agent: AgentNode; depth: number }[] = []
  const seen = new Set<string>()
  const visit = (root: AgentNode): void => {
    const open = [{ agent: root, depth: 0 }]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next.agent.id)) continue
      seen.add(next.agent.id)
      tree.push(next)
      const depth = next.depth + 1
      open.push(...(children.get(next.agent.id) ?? []).toReversed().map((agent) => ({ agent, depth })))
    }
  }
  for (const agent of agents) if (agent.parent === undefined || !known.has(agent.parent)) visit(agent)
  // Only cycles are left.
  for (const agent of agents) visit(agent)
  return tree
}
