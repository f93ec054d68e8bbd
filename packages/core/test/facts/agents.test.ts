import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft, ToolKind } from '../../src/session/event.ts'
import { onlyLooks } from '../../src/shell/command-program.ts'
import { assistant, makeSession } from '../support/session.ts'

// Samples of the tools of agents other than Claude Code and Codex.

const cwd = '/srv/shop'
const factsOf = (format: string, drafts: EventDraft[], folder = cwd) =>
  extractFacts(makeSession(drafts, { format, cwd: folder }))
const outcome = (format: string, drafts: EventDraft[], folder = cwd) =>
  factsOf(format, drafts, folder).files.map(({ path, status }) => `${status} ${path}`)

type Result = Partial<Extract<EventDraft, { type: 'tool_result' }>> | null

const call = (
  callId: string,
  name: string,
  kind: ToolKind,
  input: unknown,
  result: Result = {},
): EventDraft[] => [
  { type: 'tool_call', callId, name, kind, input },
  ...(result === null
    ? []
    : [{ type: 'tool_result' as const, status: 'ok' as const, text: '', ...result, callId }]),
]
const shell = (name: string, command: string, result: Result = {}, more: object = {}) =>
  call(`${name} ${command}`, name, 'execute', { command, ...more }, result)
const failed = (text: string) => ({ status: 'error', exitCode: 1, text }) as const

describe('folders of shells', () => {
  it.each<[string, string, EventDraft[], string[]]>([
    [
      'OpenHands keeps one shell',
      'openhands',
      [...shell('execute_bash', 'cd web'), ...shell('execute_bash', 'cat a.ts')],
      ['read web/a.ts'],
    ],
    [
      'OpenHands prints the folder of its shell',
      'openhands',
      [
        ...shell('terminal', 'source go.sh', { text: 'done\n[Current working directory: /srv/shop/api]' }),
        ...shell('terminal', 'cat a.ts'),
      ],
      ['read api/a.ts'],
    ],
    [
      'SWE-agent keeps one shell',
      'swe-agent',
      [...shell('bash', 'cd web'), ...shell('bash', 'cat a.ts')],
      ['read web/a.ts'],
    ],
    [
      'mini-SWE-agent starts one for each call',
      'swe-agent',
      [...shell('bash', 'cd web', { exitCode: 0 }), ...shell('bash', 'cat a.ts', { exitCode: 0 })],
      ['read a.ts'],
    ],
    [
      'pi starts one for each call',
      'pi',
      [...shell('bash', 'cd web'), ...shell('bash', 'cat a.ts')],
      ['read a.ts'],
    ],
    [
      'Copilot keeps those that have a name',
      'copilot-cli',
      [
        ...shell('bash', 'cd web', {}, { shellId: 'one' }),
        ...shell('bash', 'cat a.ts', {}, { shellId: 'one' }),
        ...shell('bash', 'cat b.ts', {}, { shellId: 'two' }),
        ...shell('bash', 'cat c.ts'),
      ],
      ['read web/a.ts', 'read b.ts', 'read c.ts'],
    ],
  ])('follow the agent: %s', (_, format, drafts, expected) => {
    expect(outcome(format, drafts)).toEqual(expected)
  })
})

describe('listings of folders', () => {
  it.each<[string, EventDraft[]]>([
    [
      'OpenHands',
      call(
        '1',
        'str_replace_editor',
        'read',
        { command: 'view', path: '/srv/shop/src' },
        {
          text: "Here's the files and directories up to 2 levels deep in /srv/shop/src:\n/srv/shop/src/a.ts",
        },
      ),
    ],
    ['Copilot', call('1', 'view', 'read', { path: '/srv/shop/.github' }, { text: 'agents\nworkflows\n' })],
    [
      'opencode',
      call(
        '1',
        'read',
        'read',
        { filePath: '/srv/shop/src' },
        { text: '<path>/srv/shop/src</path>\n<type>directory</type>\n<entries>\na.ts\n</entries>' },
      ),
    ],
  ])('are not files: %s', (_, drafts) => {
    expect(outcome('test', drafts)).toEqual([])
  })

  it('are recognized by the files in them', () => {
    const drafts = [
      ...call('1', 'open', 'read', { path: 'src' }, { text: 'whatever' }),
      ...call('2', 'open', 'read', { path: 'src/a.ts' }, { text: 'a' }),
    ]
    expect(outcome('test', drafts)).toEqual(['read src/a.ts'])
  })

  it('are recognized by files without an extension', () => {
    const drafts = call(
      '1',
      'view',
      'read',
      { path: '/srv/shop/LICENSE' },
      { text: 'MIT License\n\nCopyright' },
    )
    expect(outcome('copilot-cli', drafts)).toEqual(['read LICENSE'])
  })
})

describe('PowerShell', () => {
  const windows = 'C:\\srv\\shop'
  const runs = (command: string) => shell('powershell', command, { exitCode: 0 })

  it('ignores file names in texts that are given to it', () => {
    const body = "$body = @'\n## Done\n- <task-id> moved -> CI > out.txt\n'@\ngh issue comment 4 --body $body"
    expect(outcome('copilot-cli', runs(body), windows)).toEqual([])
    const inside = 'gh pr create --body (Get-Text @"\nit\'s > a.txt\n"@) ; Get-Content b.txt'
    expect(outcome('copilot-cli', runs(inside), windows)).toEqual(['read b.txt'])
    const used = "@'\nprint(1) > 2\n'@ | Set-Content tool.py"
    expect(outcome('copilot-cli', runs(used), windows)).toEqual(['created tool.py'])
  })

  it.each([
    ['$log = "src/a.log"; npm test', 'npm test'],
    ["$h='src/a.log'; npm test", 'npm test'],
    ['"=== tests ==="; npm test', 'npm test'],
    ['$out = npm test', 'npm test'],
    ['$out=npm test', 'npm test'],
    ['& "npm" test', 'npm test'],
    ['$n = 3; $n += 1; npm test', 'npm test'],
  ])('runs the command of %s', (text, program) => {
    expect(factsOf('copilot-cli', runs(text), windows).commands[0]?.program).toBe(program)
  })

  it('follows Push-Location and comes back', () => {
    const text = 'Push-Location web; Get-Content a.ts; Pop-Location; Get-Content b.ts'
    expect(outcome('copilot-cli', runs(text), windows)).toEqual(['read web/a.ts', 'read b.ts'])
  })

  it('reports what is not recognized', () => {
    const text =
      "rsync: \nLine |\n   2 |  rsync x a\n     | The term 'rsync' is not recognized as a name of a cmdlet.\nCheck the spelling of the name."
    const [error] = factsOf('copilot-cli', shell('powershell', 'rsync x a', failed(text)), windows).errors
    expect(error?.message).toContain("The term 'rsync' is not recognized")
  })

  it('waits for commands that Copilot left running', () => {
    const left = '<command started in background with shellId: t1>'
    const started = shell('powershell', 'npm test', { text: left })
    const statusOf = (drafts: EventDraft[]) => factsOf('copilot-cli', drafts, windows).commands[0]?.status
    const poll = (result: Result) => call('p', 'read_powershell', 'execute', { shellId: 't1' }, result)
    expect(statusOf(started)).toBe('unknown')
    expect(statusOf([...started, ...poll({ text: left })])).toBe('unknown')
    expect(statusOf([...started, ...poll({ text: 'ok', exitCode: 0 })])).toBe('ok')
    expect(statusOf([...started, ...poll(failed('1 failed'))])).toBe('error')
  })
})

describe('logs without results', () => {
  const asked = [
    ...call('1', 'Write', 'edit', { path: '/srv/shop/new.ts', contents: 'a\n' }, null),
    ...call('2', 'StrReplace', 'edit', { path: '/srv/shop/a.ts', old_string: 'x', new_string: 'y' }, null),
    ...call('3', 'Delete', 'delete', { path: '/srv/shop/b.ts' }, null),
    ...shell('Shell', 'cd web', null),
    ...shell('Shell', 'cat c.ts', null),
  ]

  it('list the files of calls, and say that results are missing', () => {
    const { files, commands } = factsOf('cursor', [...asked, assistant('Done.')])
    expect(files.map(({ path, status, unreported }) => `${status} ${path} ${unreported}`)).toEqual([
      'created new.ts true',
      'modified a.ts true',
      'deleted b.ts true',
      'read web/c.ts true',
    ])
    expect(commands.every(({ status }) => status === 'unknown')).toBe(true)
  })

  it('leave out calls at their end', () => {
    expect(factsOf('cursor', asked).files).toEqual([])
  })

  it('do not include logs with some results: only a call without a result among others did nothing', () => {
    const drafts = [...asked, ...shell('Shell', 'ls', { exitCode: 0 }), assistant('Done.')]
    expect(factsOf('cursor', drafts).files).toEqual([])
  })
})

describe('errors', () => {
  const openOf = (format: string, drafts: EventDraft[]) =>
    factsOf(format, drafts).errors.map(({ message, resolvedBy }) => `${message} ${resolvedBy ?? 'open'}`)
  const edit = (callId: string, result: Result) =>
    call(callId, 'edit', 'edit', { path: 'a.ts', oldText: 'x', newText: 'y' }, result)
  const missing = { status: 'error', text: 'Could not find the exact text' } as const

  it('of an edit are resolved by a shell that edits the file', () => {
    const sed = shell('bash', "cd src && sed -i 's/x/y/' ../a.ts", { exitCode: 0 })
    expect(openOf('pi', [...edit('1', missing), ...sed])).toEqual(['Could not find the exact text e4'])
    const other = shell('bash', "sed -i 's/x/y/' b.ts", { exitCode: 0 })
    expect(openOf('pi', [...edit('1', missing), ...other])).toEqual(['Could not find the exact text open'])
  })

  it('of an edit by code are resolved by the next edit of the file', () => {
    const code = (callId: string, path: string, result: Result) =>
      call(callId, 'run_ipython', 'execute', { code: `edit_file_by_replace(\n'${path}', 'x', 'y')` }, result)
    const text = '[No exact match found in /srv/shop/a.ts for\n```\n} catch (error) {\n```\n]'
    const first = code('1', '/srv/shop/a.ts', { status: 'error', text })
    const message = '[No exact match found in /srv/shop/a.ts for'
    expect(openOf('openhands', [...first, ...code('2', '/srv/shop/b.ts', {})])).toEqual([`${message} open`])
    expect(openOf('openhands', [...first, ...code('2', '/srv/shop/a.ts', {})])).toEqual([`${message} e4`])
  })

  it('of a check are resolved by a chain that passed as a whole', () => {
    const drafts = [
      ...shell('bash', 'mise run lint:a && mise run lint:b', failed('error: lint:b')),
      ...shell('bash', 'mise run lint:b && mise run build', { exitCode: 0 }),
    ]
    expect(openOf('pi', drafts)).toEqual(['error: lint:b e4'])
  })

  it.each(['Command exited with code 1', '(no output)\n\nCommand exited with code 1', '(no output)'])(
    'are not found in a search without matches: %j',
    (text) => {
      expect(openOf('pi', shell('bash', 'npm run check 2>&1 | grep error', failed(text)))).toEqual([])
    },
  )

  it('show the failure, not the file that an editor prints with it', () => {
    const listing = Array.from({ length: 8 }, (_, line) => `${line + 1}:  throw new Error("unexpected")`)
    const text = ['Your proposed edit has introduced new syntax error(s).', ...listing].join('\n')
    expect(openOf('swe-agent', edit('1', { status: 'error', text }))).toEqual([
      'Your proposed edit has introduced new syntax error(s). open',
    ])
  })
})

describe('checks', () => {
  const statusOf = (command: string, text: string) =>
    factsOf('pi', shell('bash', command, { exitCode: 0, text })).commands[0]?.status

  it('that count their errors fail by the count', () => {
    expect(statusOf('npm run check 2>&1 | grep "error TS" | wc -l', '      11\n')).toBe('error')
    expect(statusOf('npm run check 2>&1 | grep -c error', '0\n')).toBe('ok')
    expect(statusOf('npm test 2>&1 | grep -v error | wc -l', '11\n')).toBe('unknown')
  })

  it('that only print their steps check nothing', () => {
    expect(factsOf('pi', shell('bash', 'make -n build', { exitCode: 0 })).validation).toBeUndefined()
  })
})

it('counts lines by the names that agents give the old and the new text', () => {
  const texts = [
    ['oldString', 'newString'],
    ['oldText', 'newText'],
    ['old_text', 'new_text'],
  ]
  for (const [before = '', after = ''] of texts) {
    const input = { path: 'a.ts', [before]: 'a\nb', [after]: 'a\nc\nd' }
    expect(factsOf('test', call('1', 'edit', 'edit', input)).files[0]).toMatchObject({ added: 2, removed: 1 })
  }
})

it('counts no lines if an existing file was overwritten', () => {
  const write = (callId: string) => call(callId, 'write', 'edit', { path: 'a.ts', content: 'a\nb\n' })
  const [file] = factsOf('test', [...write('1'), ...write('2')]).files
  expect(file).toMatchObject({ status: 'created', added: 2 })
})

it('accepts "use this not that" as a constraint', () => {
  const texts = ['use bun not npm', 'I use bun. It is not npm.'].map(
    (text) => extractFacts(makeSession([{ type: 'user', origin: 'typed', text }])).constraints.length,
  )
  expect(texts).toEqual([1, 0])
})

describe('the fields that Gemini CLI writes around an output', () => {
  const frame = (output: string, code: number) =>
    `Command: x\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${code}\nSignal: 0\nBackground PIDs: (none)`
  const run = (command: string, text: string, exitCode = 0) =>
    shell('run_shell_command', command, { text, exitCode, status: exitCode === 0 ? 'ok' : 'error' })

  it('hide neither branch nor commit', () => {
    const { git } = factsOf('gemini-cli', [
      ...run('git status', frame('On branch dev\nnothing to commit, working tree clean', 0)),
      ...run('git rev-parse HEAD', 'Output: 1234567890abcdef\nProcess Group PGID: 12'),
    ])
    expect(git).toMatchObject({ branch: 'dev', dirty: false, head: '1234567890abcdef' })
    const { commits } = factsOf('gemini-cli', run('git commit -m x', frame('[dev 1234567] x', 0))).git
    expect(commits).toMatchObject([{ sha: '1234567', subject: 'x' }])
  })

  it('are not errors', () => {
    const errors = (command: string, output: string) =>
      factsOf('gemini-cli', run(command, frame(output, 1), 1)).errors.map(({ message }) => message)
    expect(errors('grep x a.ts', '(empty)')).toEqual([])
    expect(errors('cp a.ts b', 'cp: a.ts: No such file or directory')).toEqual([
      'cp: a.ts: No such file or directory',
    ])
  })
})

it('recognizes the PowerShell commands that only read', () => {
  const names = ['Get-Content', 'Select-String', 'Test-Path', 'ConvertTo-Json', 'gh pr view']
  expect(names.filter((name) => !onlyLooks(name))).toEqual([])
  expect(['Set-Content', 'Remove-Item', 'Invoke-Pester', 'gh pr create'].filter(onlyLooks)).toEqual([])
})

it('does not treat a PowerShell drive as a folder', () => {
  const drafts = shell('powershell', 'Remove-Item Env:\\TOKEN; Remove-Item a.txt', { exitCode: 0 })
  expect(outcome('copilot-cli', drafts, 'C:\\srv\\shop')).toEqual(['deleted a.txt'])
})
