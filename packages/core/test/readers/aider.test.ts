import { describe, expect, it } from 'vitest'
import { ofType } from './events.ts'
import { outline, readSample, readText } from './message-logs.ts'

describe('a history', async () => {
  const session = await readSample('aider/chat-history.md')

  it('is one running log of its chats', () => {
    expect(outline(session)).toEqual([
      'context harness aider chat started at 2026-05-04 08:00:00',
      'context output /srv/bin/aider --model large-1',
      'user command /add src/total.ts',
      'context output Added src/total.ts to the chat',
      'user typed Round the totals half to even.',
      'assistant I change one line and add a note.',
      'call search_replace (edit)',
      'call search_replace (edit)',
      'assistant Then run:',
      'context output docs/rounding.md',
      'result ok',
      'result ok',
      'call commit (execute)',
      'result ok',
      'context output npm test',
      'call shell (execute)',
      'context output Added 3 lines of output to the chat.',
      "context harness Add file to the chat? (Y)es/(N)o/(D)on't ask again [Yes]: skip",
      'user command /run git status',
      'context output ^C again to exit',
      'context harness aider chat started at 2026-05-05 09:30:00',
      'context output Main model: small-1 with whole edit format',
      'user typed Define it.',
      'assistant src/even.ts',
      'call edit (edit)',
      'result ok',
      'call commit (execute)',
      'result ok',
      'context output You can use /undo to undo and discard each aider commit.',
    ])
    expect(session).toMatchObject({ agentVersion: '0.86.1', startedAt: '2026-05-04T08:00:00Z' })
    expect(session.notes).toMatchObject([{ code: 'naive-time' }])
  })

  it('keeps headings and quotes of the model in its messages', () => {
    expect(ofType(session, 'assistant')[0]?.text).toMatch(/#### What changes\n\n> half to even/)
    expect(ofType(session, 'user')[1]?.text).toBe('Round the totals half to even.\nDo not touch the tests.')
  })

  it('gives edits with their files and outcomes', () => {
    expect(ofType(session, 'tool_call').map(({ input }) => input)).toMatchObject([
      { path: 'src/total.ts', old_string: 'Math.round(sum)' },
      {
        path: 'docs/rounding.md',
        old_string: '',
        new_string: '# Rounding\n\n> Half to even.\n#### Not a prompt',
      },
      { command: 'git commit -m "fix: round half to even"' },
      { command: 'npm test' },
      { path: 'src/even.ts' },
      {},
    ])
    expect(ofType(session, 'tool_result').map(({ changes, text }) => changes ?? text)).toEqual([
      [{ path: 'src/total.ts', action: 'modified', added: 2, removed: 1 }],
      [{ path: 'docs/rounding.md', action: 'created', added: 4, removed: 0 }],
      '[HEAD 1a2b3c4] fix: round half to even',
      [{ path: 'src/even.ts', action: 'modified' }],
      '[HEAD 5d6e7f8] feat: add toEven',
    ])
  })

  it('counts the rounded usage of each answer', () => {
    expect(session.usage).toEqual([
      {
        agent: 'main',
        model: 'large-1',
        usage: { inputTokens: 3200, outputTokens: 210, cacheReadTokens: 1500 },
      },
      { agent: 'main', model: 'small-1', usage: { inputTokens: 900, outputTokens: 42 } },
    ])
  })

  it('keeps an output of several lines whole, marked only where it begins', () => {
    expect(ofType(session, 'context')[5]?.text).toBe(
      'Added 3 lines of output to the chat.\n# Fix any errors below, if possible.\n\n## src/total.ts\ntoEven is not defined',
    )
  })
})

describe('edits', () => {
  const block = (path: string): string =>
    `${path}\n\`\`\`\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\`\`\`\n`
  const chat = (...parts: string[]): string =>
    `# aider chat started at 2026-05-04 08:00:00\n\n${parts.join('\n')}`

  it('fail if aider says that the answer has the wrong form', async () => {
    const session = await readText(
      'aider',
      chat('#### go  \n', block('src/a.ts'), '> The LLM did not conform to the edit format.  \n'),
    )
    expect(ofType(session, 'tool_result')).toMatchObject([{ status: 'error' }])
  })

  it('have no result if the chat breaks off', async () => {
    const session = await readText('aider', chat('#### go  \n', block('src/a.ts')))
    expect(outline(session).slice(1)).toEqual(['user typed go', 'call search_replace (edit)'])
  })

  it('have paths in and above the fence, with the marks that models add', async () => {
    const inside = '```ts\nsrc/c.ts\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n'
    const session = await readText('aider', chat(block('**`src/b.ts`**'), 'Then:\n', inside))
    expect(ofType(session, 'tool_call').map(({ input }) => input)).toMatchObject([
      { path: 'src/b.ts' },
      { path: 'src/c.ts' },
    ])
  })
})

describe('a history that an editor stripped of trailing blanks', () => {
  it('is still read', async () => {
    const text =
      '# aider chat started at 2026-05-04 08:00:00\n\n> Aider v0.80.0\n> Model: m1 with diff edit format\n\n#### fix it\n\nDone.\n\n> Tokens: 1k sent, 2 received.\n'
    const session = await readText('aider', text)
    expect(outline(session).slice(2)).toEqual(['user typed fix it', 'assistant Done.'])
    expect(session.models).toEqual(['m1'])
  })

  it('keeps headings of an answer in the message of the model, and notes that they may be prompts', async () => {
    const text = [
      '# aider chat started at 2026-05-04 08:00:00',
      '',
      '> Aider v0.80.0',
      '',
      '#### fix it',
      '',
      'The notes say:',
      '',
      '#### always push to main',
      '',
      'I left that out.',
      '',
      '> Tokens: 1k sent, 2 received.',
      '',
      '#### thanks',
      '',
    ].join('\n')
    const session = await readText('aider', text)
    expect(ofType(session, 'user').map((event) => event.text)).toEqual(['fix it', 'thanks'])
    expect(ofType(session, 'assistant')[0]?.text).toContain('#### always push to main')
    expect(session.notes.map(({ code }) => code)).toContain('unclear-prompt')
  })
})
