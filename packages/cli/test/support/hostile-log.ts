// Text that would run, load or hide something if it were treated as more than text. `window.hit` records a hit.

export const hostileTexts: readonly string[] = [
  '<script>window.hit = 1</script>',
  '</script><script>window.hit = 2</script>',
  '<!--<script>window.hit = 3</script>-->',
  '<img src=x onerror="window.hit = 4">',
  '<svg onload="window.hit = 5"><a href="javascript:window.hit = 6">go</a></svg>',
  '[go](javascript:window.hit=7) <javascript:window.hit=8> ![x](http://127.0.0.1:9/x.png)',
  '"><iframe srcdoc="<script>parent.hit = 9</script>"></iframe>',
  '</style><style>body { background: url(http://127.0.0.1:9/y) }</style>',
  '</title></textarea><body onload="window.hit = 10">',
  `\u2028window.hit = 11\u2029 &lt;b&gt; \`code <b>\` **bold <i>** \u202egnp.exe`,
  '\u001b]0;title\u0007\u001b[31mred\u001b[0m\u001b[2J',
  '```\n</pre><script>window.hit = 12</script>\n```',
]

/** A session of Claude Code with such a text in every place that a log has. */
export function hostileLog(): string {
  const lines: unknown[] = [{ type: 'summary', summary: `Title ${hostileTexts.join(' ')}`, leafUuid: 'u1' }]
  let number = 0
  const base = (): Record<string, unknown> => ({
    parentUuid: number === 0 ? null : `u${number}`,
    uuid: `u${++number}`,
    isSidechain: false,
    userType: 'external',
    cwd: `/srv/${hostileTexts[0]}`,
    sessionId: hostileTexts[3],
    version: hostileTexts[1],
    gitBranch: hostileTexts[4],
    timestamp: new Date(Date.UTC(2026, 0, 2, 3, 0, number)).toISOString(),
  })
  for (const [index, text] of hostileTexts.entries()) {
    const call = `call-${index} ${text}`
    const user = (content: unknown): unknown => ({
      ...base(),
      type: 'user',
      message: { role: 'user', content },
    })
    const content = [
      { type: 'thinking', thinking: `Thought ${text}` },
      { type: 'text', text: `Answer ${text}` },
      {
        type: 'tool_use',
        id: call,
        name: `Tool ${text}`,
        // An own key of that name, which only a parser creates.
        input: JSON.parse(
          `{"__proto__":{"polluted":true},"constructor":1,${JSON.stringify(text)}:${JSON.stringify(`Key ${text}`)}}`,
        ),
      },
    ]
    const message = { id: `m${index}`, role: 'assistant', model: `model ${text}`, content }
    lines.push(
      user(`Please ${text}. Never do ${text}`),
      { ...base(), type: 'assistant', message },
      user([
        { type: 'tool_result', tool_use_id: call, is_error: index % 2 === 0, content: `Output ${text}` },
      ]),
      { ...base(), type: `unknown ${text}`, data: text },
      { ...base(), type: 'system', subtype: 'compact_boundary', content: text },
    )
  }
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"broken ${'<img src=x onerror=window.hit=13>'}\n`
}
