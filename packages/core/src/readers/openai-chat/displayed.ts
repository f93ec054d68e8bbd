/**
 * Messages from a conversation that was printed for a prompt, `role: text` after `role: text`. Calls were printed as
 * `assistant: None`, without tool and arguments.
 */
export function displayedMessages(text: string): Readonly<Record<string, unknown>>[] {
  const starts = [...text.matchAll(/^(system|user|assistant|tool): /gm)]
  return starts.map(({ index, 0: mark, 1: role = '' }, number) => {
    const end = starts[number + 1]?.index ?? text.length
    const content = text.slice(index + mark.length, end).trimEnd()
    if (role !== 'assistant') return { role, content }
    const said = content === 'None' ? null : content
    const calls = said === null || starts[number + 1]?.[1] === 'tool'
    return { role, content: said, ...(calls && { tool_calls: [{ function: { name: 'tool' } }] }) }
  })
}
