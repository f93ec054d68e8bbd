import * as json from '../../session/json.ts'
import { addUsage, type TokenUsage } from '../../session/usage.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { byKind, readRecords } from '../shared/by-kind.ts'
import { exceeding, usageIn } from '../shared/usage.ts'
import { createWriter, type Writer } from '../shared/writer.ts'
import { createTools } from './tools.ts'

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
      // Older versions name only the call that started the agent.
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
    return state.meta({ id: json.text(sessionId), agentVersion, cwd: json.text(context, 'cwd'), ...git })
  },
  'session.model_change'(state, data) {
    state.own = json.text(data.newModel) ?? state.own
    return 'settings'
  },
  'session.title_changed': ({ meta }, { title }) => meta({ title: json.text(title) }),
  'session.usage_record': ({ usages }, data) => usages.request(data),
  'session.shutdown': ({ usages }, data) => usages.shutdown(data),
  'session.task_complete': ({ tools }, { summary }) => typeof summary === 'string' && tools.answer(summary),
  'session.compaction_complete'(state, data) {
    state.usages.compaction(data)
    const error = errorOf(data.error)
    const failure = `compaction failed${error === undefined ? '' : `: ${error}`}`
    if (data.success === false) state.contextOnce('harness', 'compaction', failure)
    else state.compact(data.summaryContent, { tokensBefore: data.preCompactionTokens })
  },
  'session.truncation': (state, { preTruncationTokensInMessages: tokensBefore }) =>
    state.compact('', { trigger: 'truncation', tokensBefore }),
  // The user went back to an event: it and everything after it left the conversation.
  'session.snapshot_rewind'(state, data) {
    const before = state.turnsBefore.get(json.text(data.upToEventId) ?? '')
    if (before !== undefined) state.rewind(state.turns - before)
    else state.out.note('rewind-unknown', 'the session was rewound to an event that is not in the log')
  },
  // Reads a system prompt; of a repeated one, only the new lines.
  'system.message'(state, { content, role }) {
    if (typeof content !== 'string') return false
    const known = state.systemLines
    const isFirst = known.size === 0
    const lines = content.split('\n')
    const fresh = isFirst ? lines : lines.filter((line) => line.trim() !== '' && !known.has(line))
    for (const line of lines) known.add(line)
    const name = isFirst ? 'system prompt' : 'new lines of the system prompt'
    state.context(role === 'developer' ? 'harness' : 'system', name, fresh.join('\n'))
  },
  // `content` was typed by the user, `transformedContent` was sent to the model. Prompts of the harness are separate.
  'user.message'(state, data) {
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
    // Text that the harness added around the user's, without the time, which events have already.
    const at = content === '' ? -1 : whole.indexOf(content)
    const [before, after] = [whole.slice(0, at).trim(), whole.slice(at + content.length).trim()]
    const isWhole = content === '' || (!byPerson && !byAgent)
    const around = (isWhole ? whole : at === -1 ? '' : `${before}\n${after}`)
      .replace(/<current_datetime>[^<]{0,60}<\/current_datetime>/g, '')
      .trim()
    const name = byPerson && content.trim() === '' ? 'continuation' : (source ?? 'reminder')
    state.contextOnce('harness', byAgent ? 'reminder' : name, around)
  },
  'assistant.message'(state, data) {
    state.model = json.text(data.model) ?? (state.agent === 'main' ? state.own : undefined)
    state.think(data.reasoningText)
    state.say(data.content)
    for (const request of json.list(data.toolRequests)) state.tools.request(request)
    state.usages.answer(data, state.model)
  },
  'tool.user_requested': ({ tools }, data) => tools.userCommand(data),
  'tool.execution_start': ({ tools }, data) => tools.start(data),
  'tool.execution_complete': ({ tools }, data) => tools.complete(data),
  // Output of a hook: mostly empty, and repeated by a broken hook.
  'hook.end'(state, { error, hookType, output }) {
    const texts = typeof output === 'string' ? [output] : json.texts(Object.values(json.fields(output)))
    const said = [errorOf(error) ?? [], texts].flat()
    state.contextOnce('hook', json.text(hookType) ?? 'hook', said.join('\n'))
  },
  'permission.completed': ({ tools }, data) => tools.permission(data),
  'subagent.started subagent.completed subagent.failed'(state, data, type) {
    const callId = json.text(data.toolCallId)
    if (callId === undefined) return false
    const child = state.agent === 'main' ? callId : state.agent
    const call = state.tools.calls.get(callId)
    // The records of a subagent have its own id, so its parent is that of the call.
    state.agent = call?.agent ?? 'main'
    if (type === 'subagent.started') {
      state.children.set(callId, child)
      const title = json.text(call?.input, 'description') ?? json.text(data.agentDisplayName)
      state.begin(child, { callId, type: json.text(data.agentName), title })
      return true
    }
    state.end(child, callId)
    state.context('notification', 'subagent failed', errorOf(data.error))
  },
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
  // Texts of the interface, and parts of what another record reports in full.
  'assistant.turn_start assistant.turn_end assistant.idle session.idle assistant.intent': 'turn',
  'assistant.message_delta assistant.message_start assistant.streaming_delta assistant.reasoning assistant.reasoning_delta':
    'stream of a response',
  'hook.start hook.progress': 'hook',
  'session.mode_changed session.permissions_changed session.tools_updated session.skills_loaded session.remote_steerable_changed session.custom_agents_updated session.mcp_servers_loaded session.mcp_server_status_changed session.extensions_loaded session.background_tasks_changed session.usage_checkpoint session.usage_info session.context_changed session.commands_changed subagent.selected subagent.deselected subagent.configured pending_messages.modified session.plan_changed session.todos_changed':
    'settings',
  'session.compaction_start': 'compaction begins',
  'session.workspace_file_changed session.workspace_file_created': 'file of the workspace',
  'tool.execution_progress tool.execution_partial_result': 'progress of a tool',
  'permission.requested user_input.requested user_input.completed elicitation.requested elicitation.completed exit_plan_mode.requested exit_plan_mode.completed external_tool.requested external_tool.completed command.queued command.execute command.completed':
    'question to the user',
})

/** Writes text for the model or the user; without text, the name. */
function readNotice(state: State, name: string, text: unknown, by?: 'notification'): boolean {
  return typeof text === 'string' && state.context(by ?? 'harness', name, text.trim() === '' ? name : text)
}

function errorOf(error: unknown): string | undefined {
  return json.text(error, 'message') ?? json.text(error)
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

/** Counts usage, whose fields have our names, with the cache included in the input. */
function createUsageCounter(writer: Writer) {
  const { out } = writer
  const run = new Map<string, TokenUsage>()
  const total = new Map<string, TokenUsage>()
  /** Ids of responses with a complete usage record. */
  const recorded = new Set<string>()
  let runs = 0
  /** Number of responses without input tokens since the last sums of a run. */
  let unread = 0

  function count(key: string, usage: TokenUsage, model = writer.model ?? 'unknown'): void {
    writer.usage(key, usage, model)
    if (usage.inputTokens === undefined) unread++
    else if (usage.outputTokens === undefined) unread--
    for (const sums of [run, total]) sums.set(model, addUsage(sums.get(model) ?? {}, usage))
  }

  function startRun(): void {
    run.clear()
    runs++
  }

  return {
    startRun,
    answer(data: json.Fields, model = 'unknown'): void {
      const key =
        json.text(data.apiCallId) ?? json.text(data.messageId) ?? `response-${run.size} ${writer.time}`
      const outputTokens = json.count(data.outputTokens)
      if (outputTokens !== undefined && !recorded.has(key)) count(key, { outputTokens }, model)
    },
    request({ usage }: json.Fields) {
      const { apiCallId, model, ...counts } = json.fields(usage)
      const id = json.text(apiCallId)
      if (id === undefined) return false
      if (!recorded.has(id)) count(`record ${id}`, usageIn(counts, 'tenfold'), json.text(model))
      recorded.add(id)
      out.absorb('usage')
    },
    compaction({ compactionAttemptId, compactionTokensUsed: used, requestId }: json.Fields): void {
      if (json.object(used) === undefined) return
      const { model, ...counts } = json.fields(used)
      const key = `compaction ${json.text(requestId) ?? json.text(compactionAttemptId) ?? runs}`
      // The sums of later versions leave it out.
      const add = recorded.size > 0 ? writer.usage : count
      add(key, usageIn(counts, 'tenfold'), json.text(model))
    },
    /** Reads the sums of a run, since 1.0.102 of all runs. Usage that no response reported goes to the main agent. */
    shutdown(data: json.Fields): void {
      const isCumulative = data.accountingSnapshot !== undefined
      for (const [model, metrics] of Object.entries(json.fields(data.modelMetrics))) {
        const counted = (isCumulative ? total : run).get(model) ?? {}
        const rest = exceeding(usageIn(json.at(metrics, 'usage'), 'tenfold'), counted)
        out.usage(`run ${isCumulative ? 'all' : runs} ${model}`, 'main', model, rest)
      }
      startRun()
      unread = 0
      out.absorb('usage')
    },
    finish(): void {
      const responses = `${unread} response${unread === 1 ? '' : 's'}`
      const message = `of ${responses} the log has only the output tokens: the input is reported when a run ends`
      if (unread > 0) out.note('partial-usage', message)
    },
  }
}
