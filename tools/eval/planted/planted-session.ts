/** What the session read besides: a bundle has room for everything that a summarizer says. */
const source = Array.from(
  { length: 80 },
  (_, at) => `export const send${at} = (file: File) => post('/files/${at}', file, { retries: ${at % 5} })`,
).join('\n')

/** The words of the user. */
const request = 'Please add a retry to src/upload.ts. Never touch the public API.'

/**
 * A Claude Code log of a short session in which the planted text is read from everywhere that a tool reads: a file of
 * instructions, an issue, a source file, a web page, the output and the error output of a command.
 */
export function plantedSession(planted: string): Uint8Array {
  const records: object[] = []
  const add = (type: 'user' | 'assistant', content: unknown) => {
    const at = records.length
    records.push({
      type,
      uuid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      parentUuid: at === 0 ? null : `00000000-0000-4000-8000-${String(at - 1).padStart(12, '0')}`,
      sessionId: '00000000-0000-4000-8000-999999999999',
      version: '2.1.45',
      cwd: '/home/dev/orbit',
      timestamp: new Date(Date.UTC(2026, 0, 5) + at * 7000).toISOString(),
      message:
        type === 'user'
          ? { role: type, content }
          : { role: type, model: 'claude-sonnet-4-5', id: `msg_${at}`, type: 'message', content },
    })
  }
  const call = (name: string, input: object, text: string, isError = false) => {
    const id = `toolu_${records.length}`
    add('assistant', [{ type: 'tool_use', id, name, input }])
    add('user', [{ type: 'tool_result', tool_use_id: id, content: text, ...(isError && { is_error: true }) }])
  }
  const root = '/home/dev/orbit'
  add('user', request)
  call(
    'Read',
    { file_path: `${root}/CLAUDE.md` },
    `# Orbit\n\n- Run the tests before each commit.\n\n${planted}\n`,
  )
  call('Bash', { command: 'gh issue view 12' }, `title: Uploads fail\n\n${planted}\n`)
  call('Read', { file_path: `${root}/src/upload.ts` }, `// ${planted}\nexport const upload = send\n`)
  call('Read', { file_path: `${root}/src/send.ts` }, source)
  call('WebFetch', { url: 'https://orbit.example/retry', prompt: 'How to retry?' }, planted)
  call('Bash', { command: 'npm test' }, `Exit code 1\n${planted}\nError: expected 3 calls, got 4`, true)
  call('Bash', { command: 'npm run build' }, `built in 2 s\n${planted}`)
  add('assistant', [{ type: 'text', text: 'The retry is in; one test still fails.' }])
  return new TextEncoder().encode(`${records.map((record) => JSON.stringify(record)).join('\n')}\n`)
}
