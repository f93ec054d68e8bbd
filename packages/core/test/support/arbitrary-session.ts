import fc from 'fast-check'
import type { EventDraft } from '../../src/session/event.ts'
import type { Session } from '../../src/session/session.ts'
import { assistant, makeSession, shell, toolCall, user } from './session.ts'

const word = fc.constantFrom(
  'fix',
  'the',
  'parser',
  'src/a.ts',
  'never',
  'break',
  '数据',
  'retryCount',
  '`npm test`',
  'error:',
  '🎉',
  '--flag',
  'because',
  'ERR_X',
  '\n',
  '\n## Trail',
  '> x',
  '| y',
  '[e1]',
)
const words = (max: number) =>
  fc.array(word, { minLength: 1, maxLength: max, size: 'max' }).map((list) => list.join(' '))
const path = fc.integer({ min: 1, max: 30 }).map((n) => `/repo/src/file${n}.ts`)

const step: fc.Arbitrary<EventDraft[]> = fc.oneof(
  words(60).map((text) => [user(text)]),
  words(150).map((text) => [assistant(text)]),
  fc.tuple(path, words(400)).map(([file, text]) => toolCall(file, 'Read', { file_path: file }, { text })),
  fc
    .tuple(path, words(100), words(100))
    .map(([file, a, b]) => toolCall(file, 'Edit', { file_path: file, old_string: a, new_string: b })),
  fc
    .tuple(words(5), words(200), fc.integer({ min: 0, max: 1 }))
    .map(([command, text, exitCode]) =>
      shell(command, command, text, { exitCode, status: exitCode === 0 ? 'ok' : 'error' }),
    ),
  words(100).map((text) => [{ type: 'context', origin: 'harness', text } as const]),
  words(100).map((text) => [{ type: 'compaction', text } as const]),
  words(30).map((text) => [{ type: 'assistant', text, agent: 'sub1' } as const]),
)

/** Sessions of 20 to 80 steps, most of them large enough for a ratio. */
export const arbitrarySession: fc.Arbitrary<Session> = fc
  .array(step, { minLength: 20, maxLength: 80, size: 'max' })
  .map((steps) => makeSession(steps.flat(), { cwd: '/repo' }))
