import * as json from '../../session/json.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { byKind, readRecords } from '../shared/by-kind.ts'
import { createWriter } from '../shared/writer.ts'
import { createTools } from './tools.ts'
import { createUsageCounter } from './usage.ts'

type State = ReturnType<typeof createState>

function createState(out: SessionWriter) {
  const writer = createWriter(out)
  return Object.assign(writer, {
    usages: createUsageCounter(writer),
    tools: createTools(writer),
    own: undefined as string | undefined,
    children: new Map<string, string>(),
    systemLines: new Set<string>(),
    turnsBefore: new Map<string, number>(),
  })
}

export async function readCopilotCli(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createState(out)
  await readRecords(records, state, (record) => {
    const data = json.object(record.data)
    const type = json.text(record.type)
    state.time = json.text(record.timestamp)
    state.model = state.own
    state.agent = 'main'
    if (data !== undefined && type !== undefined) {
      // Older versions give only the call that started the agent.
      const call = json.text(data.parentToolCallId) ?? 'main'
      state.agent = json.text(record.agentId) ?? state.children.get(call) ?? call
      const id = json.text(record.id)
      if (id !== undefined && !state.turnsBefore.has(id)) state.turnsBefore.set(id, state.turns)
      if (readKind(state, type, data)) return
    }
    state.other(record, type ?? 'untyped')
  })
  state.usages.finish()
}

const readKind = byKind<State>({
  'session.start session.resume'(state, data) {
    const { context, copilotVersion, selectedModel, sessionId } = data
    state.own = json.text(selectedModel) ?? state.own
    state.usages.startRun()
    const git = { branch: json.text(context, 'branch'), commit: json.text(context, 'headCommit') }
    const agentVersion = json.text(copilotVersion)
    state.out.meta({ id: json.text(sessionId), agentVersion, cwd: json.text(context, 'cwd'), ...git })
    return 'session metadata'
  },
  'session.model_change'(state, data) {
    state.own = json.text(data.newModel) ?? state.own
    return 'settings'
  },
  'session.title_changed'({ out }, data) {
    out.meta({ title: json.text(data.title) })
    return 'session metadata'
  },
  'session.usage_record': ({ usages }, data) => usages.request(data),
  'session.shutdown': ({ usages }, data) => usages.shutdown(data),
  'session.task_complete': ({ tools }, { summary }) => typeof summary === 'string' && tools.answer(summary),
  'session.compaction_complete'(state, data) {
    state.usages.compaction(data)
    const error = errorOf(data.error)
    const failure = `compaction failed${error === undefined ? '' : `: ${error}`}`
    const text = json.text(data.summaryContent) ?? ''
    if (data.success === false) state.contextOnce('harness', 'compaction', failure)
    else state.write({ type: 'compaction', text, tokensBefore: json.count(data.preCompactionTokens) })
  },
  'session.truncation'(state, data) {
    const tokensBefore = json.count(data.preTruncationTokensInMessages)
    state.write({ type: 'compaction', text: '', trigger: 'truncation', tokensBefore })
  },
  // The user went back to an event: it and everything after it left the conversation.
  'session.snapshot_rewind'(state, data) {
    const before = state.turnsBefore.get(json.text(data.upToEventId) ?? '')
    if (before !== undefined) state.rewind(state.turns - before)
    else state.out.note('rewind-unknown', 'the session was rewound to an event that is not in the log')
  },
  // Reads a system prompt; if it is given again, only its new lines.
  'system.message'(state, { content, role }) {
    if (typeof content !== 'string') return false
    const known = state.systemLines
    const isFirst = known.size === 0
    const lines = content.split('\n')
    const fresh = isFirst ? lines : lines.filter((line) => line.trim() !== '' && !known.has(line))
    for (const line of lines) known.add(line)
    const name = isFirst ? 'system prompt' : 'new lines of the system prompt'
    state.context(role === 'developer' ? 'harness' : 'system', name, fresh.join('\n'))
    return true
  },
  'user.message': readUser,
  'assistant.message'(state, data) {
    state.model = json.text(data.model) ?? (state.agent === 'main' ? state.own : undefined)
    state.think(data.reasoningText)
    state.say(data.content)
    for (const request of json.list(data.toolRequests)) state.tools.request(request)
    state.usages.answer(data, state.model)
  },
  'assistant.usage': ({ usages }, data) => usages.response(data),
  'tool.user_requested': ({ tools }, data) => tools.userCommand(data),
  'tool.execution_start': ({ tools }, data) => tools.start(data),
  'tool.execution_complete': ({ tools }, data) => tools.complete(data),
  // Output of a hook: most say nothing, and a broken one says the same each time.
  'hook.end'(state, { error, hookType, output }) {
    const texts = typeof output === 'string' ? [output] : Object.values(json.fields(output))
    const said = [errorOf(error), ...texts].flatMap(
      (text) => (typeof output === 'string' ? text : json.text(text)) ?? [],
    )
    state.contextOnce('hook', json.text(hookType) ?? 'hook', said.join('\n'))
  },
  'permission.completed': ({ tools }, data) => tools.permission(data),
  'subagent.started subagent.completed subagent.failed': readSubagent,
  'system.notification': (state, { kind, content }, type) =>
    readNotice(state, json.text(kind, 'type') ?? type, content, 'notification'),
  'skill.invoked': ({ contextOnce }, { name, content }) =>
    typeof content === 'string' &&
    void contextOnce('attachment', `skill ${json.text(name) ?? ''}`.trim(), content),
  'session.info': (state, { infoType, message }) =>
    infoType === 'model' ? 'settings' : readNotice(state, json.text(infoType) ?? 'info', message),
  'session.warning': (state, { message, warningType }) =>
    readNotice(state, json.text(warningType) ?? 'warning', message),
  'session.error': (state, { errorType, message }) =>
    readNotice(state, json.text(errorType) ?? 'error', message),
  'session.handoff': (state, { context, summary }) => readNotice(state, 'handoff', summary ?? context),
  abort: (state, { reason }) => readNotice(state, 'abort', reason),
  // What the interface showed, or what another record reports in full.
  'assistant.turn_start assistant.turn_end assistant.idle session.idle assistant.intent': 'turn',
  'assistant.message_delta assistant.message_start assistant.streaming_delta': 'stream of a response',
  'assistant.reasoning assistant.reasoning_delta': 'stream of a response',
  'hook.start hook.progress': 'hook',
  'session.mode_changed session.permissions_changed session.tools_updated session.skills_loaded': 'settings',
  'session.remote_steerable_changed session.custom_agents_updated session.mcp_servers_loaded': 'settings',
  'session.mcp_server_status_changed session.extensions_loaded session.background_tasks_changed': 'settings',
  'session.usage_checkpoint session.usage_info session.context_changed session.commands_changed': 'settings',
  'subagent.selected subagent.deselected subagent.configured pending_messages.modified': 'settings',
  'session.plan_changed session.todos_changed': 'settings',
  'session.compaction_start': 'compaction begins',
  'session.workspace_file_changed session.workspace_file_created': 'file of the workspace',
  'tool.execution_progress tool.execution_partial_result': 'progress of a tool',
  'permission.requested user_input.requested user_input.completed elicitation.requested':
    'question to the user',
  'elicitation.completed exit_plan_mode.requested exit_plan_mode.completed': 'question to the user',
  'external_tool.requested external_tool.completed': 'question to the user',
  'command.queued command.execute command.completed': 'question to the user',
})

/** Text to the model or the user; the name says enough if there is none. */
function readNotice(
  state: State,
  name: string,
  text: unknown,
  origin: 'notification' | 'harness' = 'harness',
): boolean {
  return typeof text === 'string' && state.context(origin, name, text.trim() === '' ? name : text)
}

function errorOf(error: unknown): string | undefined {
  return json.text(error, 'message') ?? json.text(error)
}

function readSubagent(state: State, data: json.Fields, type: string): boolean {
  const callId = json.text(data.toolCallId)
  if (callId === undefined) return false
  const child = state.agent === 'main' ? callId : state.agent
  const call = state.tools.calls.get(callId)
  // The records of a subagent have its own id: the call shows who started it.
  state.agent = call?.agent ?? 'main'
  if (type === 'subagent.started') {
    state.children.set(callId, child)
    const title = json.text(call?.input, 'description') ?? json.text(data.agentDisplayName)
    state.begin(child, { callId, type: json.text(data.agentName), title })
    return true
  }
  state.end(child, callId)
  state.context('notification', 'subagent failed', errorOf(data.error))
  return true
}

/** `content` is what was typed, `transformedContent` what the model got. The harness has its own prompts. */
function readUser(state: State, data: json.Fields): void {
  const content = json.text(data.content) ?? ''
  const whole = json.text(data.transformedContent) ?? ''
  const source = json.text(data.source)
  const { images, texts } = readAttachments(data.attachments)
  const isCommand = source?.startsWith('command') === true
  const byAgent = state.agent !== 'main' || source?.startsWith('agent-') === true
  const byPerson = !byAgent && (source === undefined || source === 'user' || isCommand)
  const isQueued = data.delivery === 'steering' || data.delivery === 'queued'
  if (byAgent) state.context('agent', 'task', content, content === '' ? 0 : images)
  else if (byPerson)
    state.ask(content, { origin: isCommand ? 'command' : isQueued ? 'queued' : 'typed', images })
  else if (whole === '') state.contextOnce('harness', source ?? 'prompt', content)
  for (const text of texts) state.context('attachment', 'file', text)
  // What the harness put before and after the user's text, without the time: events have their own.
  const at = content === '' ? -1 : whole.indexOf(content)
  const [before, after] = [whole.slice(0, at).trim(), whole.slice(at + content.length).trim()]
  const isWhole = content === '' || (!byPerson && !byAgent)
  const around = (isWhole ? whole : at === -1 ? '' : `${before}\n${after}`)
    .replace(/<current_datetime>[^<]{0,60}<\/current_datetime>/g, '')
    .trim()
  const name = byPerson && content.trim() === '' ? 'continuation' : (source ?? 'reminder')
  state.contextOnce('harness', byAgent ? 'reminder' : name, around)
}

function readAttachments(value: unknown): { images: number; texts: string[] } {
  let images = 0
  const texts: string[] = []
  for (const item of json.list(value)) {
    const { path, filePath, displayName, type, mimeType, text, title, url } = json.fields(item)
    const [file] = json.texts([path, filePath, displayName])
    const known = json.texts([file, text, title, url]).join('\n')
    const kind = `${json.text(type) ?? ''} ${json.text(mimeType) ?? ''} ${file ?? ''}`
    if (/\bimage\b|\.(?:png|jpe?g|gif|webp)$/i.test(kind)) images++
    else texts.push(known === '' ? JSON.stringify(item) : known)
  }
  return { images, texts }
}
