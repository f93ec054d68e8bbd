/** What was said and done in a session: the user, the agent, or a tool call with its input and its result. */
export type Line =
  | { readonly user: string }
  | { readonly agent: string }
  | { readonly hook: string }
  | { readonly call: string; readonly input: object; readonly result: string }

/** A log as Claude Code writes it, with the brief that a hook gave. */
export function logOf(
  session: string,
  day: number,
  brief: string | undefined,
  said: readonly Line[],
): Uint8Array {
  const records: object[] = []
  const add = (type: string, fields: object): void => {
    const number = records.length
    records.push({
      type,
      uuid: `${session}-${number}`,
      parentUuid: number === 0 ? null : `${session}-${number - 1}`,
      sessionId: session,
      cwd: '/home/dev/shop',
      version: '2.1.330',
      timestamp: new Date(Date.UTC(2026, 0, day, 9, 0, number)).toISOString(),
      ...fields,
    })
  }
  const assistant = (content: object): void =>
    add('assistant', {
      message: { id: `m-${session}-${records.length}`, role: 'assistant', content: [content] },
    })
  const hook = (text: string): void =>
    add('attachment', { attachment: { type: 'hook_additional_context', content: [text] } })
  if (brief !== undefined) hook(brief)
  for (const [index, line] of said.entries())
    if ('hook' in line) hook(line.hook)
    else if ('user' in line) add('user', { message: { role: 'user', content: line.user } })
    else if ('agent' in line) assistant({ type: 'text', text: line.agent })
    else {
      const id = `t-${session}-${index}`
      assistant({ type: 'tool_use', id, name: line.call, input: line.input })
      const failed = line.result.startsWith('Exit code ') && { is_error: true }
      const result = { type: 'tool_result', tool_use_id: id, content: line.result, ...failed }
      add('user', { message: { role: 'user', content: [result] } })
    }
  return new TextEncoder().encode(`${records.map((record) => JSON.stringify(record)).join('\n')}\n`)
}

/** A call that creates a file. */
export const write = (path: string): Line => ({
  call: 'Write',
  input: { file_path: `/home/dev/shop/${path}`, content: 'export {}' },
  result: 'File created successfully',
})

/** What the agent reads on the way: it makes a session as long as real ones are. */
export const look = (file: string): Line => ({
  call: 'Read',
  input: { file_path: `/home/dev/shop/${file}` },
  result: Array.from(
    { length: 900 },
    (_, line) => `export const row${line} = read('${file}', ${line * 7})`,
  ).join('\n'),
})
