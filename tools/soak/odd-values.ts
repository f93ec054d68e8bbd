import type { Random } from './mutants.ts'

const hostile: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -0, 2 ** 53 + 1],
  ...[
    '',
    'x',
    '\ud800',
    '\0',
    '\u001b[31m',
    '\u202e',
    ' '.repeat(1000),
    'a'.repeat(100_000),
    '🙂'.repeat(500),
  ],
  ...[[], {}, [[]], [null], Array(1000).fill(1)],
  ...[
    { toString: 1, valueOf: 2 },
    { toJSON: 1 },
    JSON.parse('{"then":1}'),
    { length: 1e9 },
    { constructor: { prototype: {} } },
  ],
  JSON.parse('{"__proto__":{"polluted":1}}'),
  ...['2026-13-45T99:99:99Z', '-271821-04-21', '1e999', '__proto__', '[object Object]', '../../etc/passwd'],
  ...[
    'toolu_01',
    'user',
    'assistant',
    'tool_use',
    'e1',
    'main',
    '```',
    '---\n',
    '\n\n## Summary\n',
    '<script>',
  ],
  ...[
    '\u2028',
    '\ufeff',
    '\n'.repeat(3000),
    '"'.repeat(500),
    '{"a":'.repeat(200),
    '| a '.repeat(2000),
    '$&$1$`',
  ],
  ...[{ '': '' }, { hasOwnProperty: 1 }, { type: 'tool_use', id: null, name: null, input: null }],
  ...[
    { type: 'tool_result', tool_use_id: [], content: { a: 1 } },
    { type: 'image', source: { data: 'AA' } },
  ],
  ...[
    '9999-12-31T23:59:59.999Z',
    8.64e15 + 1,
    'C:\\',
    'data:image/png;base64,',
    'e99999999999',
    '[redacted:password]',
  ],
  ...[
    '<command-name>/x</command-name>',
    '*** Begin Patch\n*** Update File: x\n',
    `exit code: ${'9'.repeat(400)}`,
  ],
  ...['line\\\n'.repeat(3000), 'password='.repeat(2000), `AKIA${'A'.repeat(16)}`],
]

/** A value that no agent writes there. */
export function oddValue(random: Random): unknown {
  const at = Math.floor(random() * (hostile.length + 1))
  return at === hostile.length ? nested(300) : hostile[at]
}

function nested(depth: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { a: value } : [value]
  return value
}
