import { checkpoint, cleanLine, cutHead } from '@tenfold/core'
import { openStorage, rememberMade } from '../../store/open-storage.ts'
import type { HookPayload } from './hook-payload.ts'
import { quietTerminal } from './quiet-terminal.ts'

/** A track of their own: they must not replace what the agent itself wants to go on with. */
const subagentTrack = 'before-subagents'

const maxStepLength = 300
const maxNoteLength = 2_000

/**
 * Saves the state of the work before a sub-agent begins: it may run for long, and the session may end before it does.
 * It is on a track of its own, and the current track is not changed.
 */
export async function saveSubagentCheckpoint(
  payload: HookPayload,
  { project, store }: { readonly project: string; readonly store: string },
): Promise<Readonly<Record<string, unknown>>> {
  const { agent, session, toolInput, subagent } = payload
  const given = (...names: string[]): string | undefined => {
    for (const name of names) {
      const value = toolInput !== undefined && Object.hasOwn(toolInput, name) ? toolInput[name] : undefined
      if (typeof value === 'string' && value.trim() !== '') return value
    }
    return undefined
  }
  const type = given('subagent_type', 'agent_type', 'agent_name', 'agent', 'task_name') ?? subagent.type
  const prompt = given('prompt', 'message', 'objective', 'query', 'instructions', 'input', 'task')
  const task = given('description', 'task', 'objective') ?? prompt ?? subagent.task ?? ''
  const about = `Before sub-agent ${type ?? ''}: ${task}`.replace(/ :/, ':')
  rememberMade(store, quietTerminal(agent))
  const saved = await checkpoint({
    store: { storage: await openStorage(store) },
    track: subagentTrack,
    step: cutHead(cleanLine(about), maxStepLength),
    note: prompt === undefined ? '' : `Its task:\n${cutHead(prompt, maxNoteLength)}`,
    extra: { agent, ...(session !== undefined && { session: cleanLine(session).slice(0, 200) }) },
    setCurrent: false,
    cwd: project,
    ignore: [store],
  })
  return { checkpoint: saved.id, warning: saved.warning }
}
