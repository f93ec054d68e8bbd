import { describe, expect, it } from 'vitest'
import { ofType } from './events.ts'
import { outline, readText } from './message-logs.ts'

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
