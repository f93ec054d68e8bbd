import { aiSdkReader } from './ai-sdk/ai-sdk.ts'
import { aiderReader } from './aider/aider.ts'
import { anthropicMessagesReader } from './anthropic-messages/anthropic-messages.ts'
import { atifReader } from './atif/atif.ts'
import { claudeCodeReader, claudeCodeWebReader } from './claude-code/claude-code.ts'
import { clineReader } from './cline/cline.ts'
import { codexReader } from './codex/codex.ts'
import { codexExecReader } from './codex-exec.ts'
import { continueReader } from './continue.ts'
import { copilotCliReader } from './copilot-cli/copilot-cli.ts'
import { cursorReader } from './cursor/cursor.ts'
import { factoryDroidReader } from './factory-droid.ts'
import { geminiCliReader } from './gemini-cli/gemini-cli.ts'
import { gooseReader } from './goose/goose.ts'
import { kiroReader } from './kiro.ts'
import { langChainReader } from './langchain.ts'
import { openaiAgentsReader } from './openai-agents.ts'
import { openaiChatReader } from './openai-chat/openai-chat.ts'
import { openaiResponsesReader } from './openai-responses/openai-responses.ts'
import { openCodeReader } from './opencode/opencode.ts'
import { openHandsReader } from './openhands/openhands.ts'
import { piReader } from './pi/pi.ts'
import { promptLogReader } from './prompt-log.ts'
import { qwenCodeReader } from './qwen-code/qwen-code.ts'
import type { Reader } from './reader/reader.ts'
import { specstoryReader } from './specstory/specstory.ts'
import { sweAgentReader } from './swe-agent/swe-agent.ts'
import { taskEventsReader } from './task-events.ts'
import { tenfoldReader } from './tenfold.ts'
import { langfuseReader } from './traces/langfuse.ts'
import { langSmithReader } from './traces/langsmith.ts'
import { otelReader } from './traces/otel.ts'
import { vscodeChatReader } from './vscode-chat/vscode-chat.ts'

/** The readers of all formats that Tenfold knows. */
export const defaultReaders: readonly Reader[] = [
  claudeCodeReader,
  claudeCodeWebReader,
  codexReader,
  codexExecReader,
  copilotCliReader,
  clineReader,
  openHandsReader,
  sweAgentReader,
  factoryDroidReader,
  kiroReader,
  continueReader,
  cursorReader,
  geminiCliReader,
  qwenCodeReader,
  gooseReader,
  openCodeReader,
  piReader,
  vscodeChatReader,
  tenfoldReader,
  taskEventsReader,
  atifReader,
  anthropicMessagesReader,
  openaiChatReader,
  openaiResponsesReader,
  openaiAgentsReader,
  aiSdkReader,
  langChainReader,
  langSmithReader,
  langfuseReader,
  otelReader,
  specstoryReader,
  aiderReader,
  promptLogReader,
]
