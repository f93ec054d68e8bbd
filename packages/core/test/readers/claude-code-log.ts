import { readSession } from '../../src/readers/read-session.ts'
import type { Session } from './events.ts'

/** Records in Claude Code's format; each call of `log` numbers uuids and times from the start. */
export function log() {
  let count = 0
  const shared = (more: object): Record<string, unknown> => {
    count++
    return {
      parentUuid: count === 1 ? null : `u${count - 1}`,
      isSidechain: false,
      userType: 'external',
      cwd: '/srv/app',
      sessionId: 'session-1',
      version: '2.1.101',
      gitBranch: 'main',
      uuid: `u${count}`,
      timestamp: new Date(Date.UTC(2026, 0, 1, 10, 0, count)).toISOString(),
      ...more,
    }
  }
  return {
    user: (content: unknown, more: object = {}) =>
      shared({ type: 'user', message: { role: 'user', content }, ...more }),
    assistant: (block: unknown, more: object = {}, message: object = {}) =>
      shared({
        type: 'assistant',
        requestId: 'req-1',
        message: {
          id: `msg-${count}`,
          role: 'assistant',
          model: 'claude-opus-4-6',
          content: [block],
          ...message,
        },
        ...more,
      }),
    call: (id: string, name: string, input: unknown = {}, more: object = {}) =>
      shared({
        type: 'assistant',
        message: {
          id: `msg-${count}`,
          role: 'assistant',
          model: 'claude-opus-4-6',
          content: [{ type: 'tool_use', id, name, input }],
        },
        ...more,
      }),
    result: (id: string, content: unknown, block: object = {}, more: object = {}) =>
      shared({
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...block }] },
        ...more,
      }),
    system: (subtype: string, more: object = {}) => shared({ type: 'system', subtype, ...more }),
    attachment: (attachment: object, more: object = {}) =>
      shared({ type: 'attachment', attachment, ...more }),
    progress: (data: object, more: object = {}) => shared({ type: 'progress', data, ...more }),
  }
}

export function jsonl(records: readonly unknown[]): Uint8Array {
  return Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
}

export function read(records: readonly unknown[]): Promise<Session> {
  return readSession(jsonl(records))
}
