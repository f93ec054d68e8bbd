import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { makeSession, shell, toolCall } from '../support/session.ts'

const cwd = '/home/ann/shop'
const filesOf = (drafts: EventDraft[], folder = cwd) =>
  extractFacts(makeSession(drafts, { cwd: folder })).files
const outcome = (drafts: EventDraft[], folder = cwd) =>
  filesOf(drafts, folder).map(
    ({ path, status, from }) => `${status} ${path}${from === undefined ? '' : ` < ${from}`}`,
  )

const write = (path: string, text = 'File created successfully') =>
  toolCall(`w${path}`, 'Write', { file_path: path, content: 'a\nb\n' }, { text })
const edit = (path: string) =>
  toolCall(`e${path}`, 'Edit', { file_path: path, old_string: 'a', new_string: 'b' })
const read = (path: string) => toolCall(`r${path}`, 'Read', { file_path: path })
const run = (command: string) => shell(command, command)

describe('touched files', () => {
  it.each<[string, EventDraft[], string[]]>([
    ['write', write('/home/ann/shop/a.ts'), ['created a.ts']],
    ['write over', write('/home/ann/shop/a.ts', 'The file a.ts has been updated.'), ['modified a.ts']],
    [
      'read output that the agent put into a file',
      [...read('/home/ann/.claude/projects/-shop/5f/tool-results/b1.txt'), ...read('tool-output/b1.txt')],
      ['read tool-output/b1.txt'],
    ],
    ['read, then edit', [...read('/home/ann/shop/a.ts'), ...edit('/home/ann/shop/a.ts')], ['modified a.ts']],
    ['read, then write without a word', [...read('a.ts'), ...write('a.ts', '')], ['modified a.ts']],
    ['write, then edit', [...write('a.ts'), ...edit('a.ts')], ['created a.ts']],
    ['edit, then rm', [...edit('a.ts'), ...run('rm a.ts')], ['deleted a.ts']],
    ['write, then rm', [...write('a.ts'), ...run('rm -f a.ts')], ['deleted a.ts']],
    ['rm, then write', [...run('rm a.ts'), ...write('a.ts', '')], ['modified a.ts']],
    ['write, rm, write', [...write('a.ts'), ...run('rm a.ts'), ...write('a.ts')], ['created a.ts']],
    [
      'rm of a folder',
      [...edit('src/a.ts'), ...edit('b.ts'), ...run('rm -rf src')],
      ['deleted src/a.ts', 'modified b.ts'],
    ],
    ['rm of an unknown folder', run('rm -rf node_modules'), []],
    ['git mv', run('git mv a.ts b.ts'), ['renamed b.ts < a.ts']],
    ['mv twice', [...run('mv a.ts b.ts'), ...run('mv b.ts c.ts')], ['renamed c.ts < a.ts']],
    [
      'mv there and back',
      [...edit('a.ts'), ...run('mv a.ts b.ts'), ...run('mv b.ts a.ts')],
      ['modified a.ts'],
    ],
    ['mv of a new file', [...write('a.ts'), ...run('mv a.ts docs/')], ['created docs/a.ts < a.ts']],
    ['mv of a folder', [...edit('src/a.ts'), ...run('mv src lib')], ['renamed lib/a.ts < src/a.ts']],
    [
      'mv over a known file',
      [...read('a.ts'), ...run('sed s/a/b/ a.ts > a.tmp && mv a.tmp a.ts')],
      ['modified a.ts'],
    ],
    ['mv from a scratch folder', run('mv /tmp/x.ts a.ts'), ['created a.ts']],
    ['cp', run('cp a.ts b.ts'), ['read a.ts', 'created b.ts']],
    [
      'redirections',
      run('echo hi > a.txt; echo ho >> b.txt; ls > /dev/null 2>&1'),
      ['created a.txt', 'modified b.txt'],
    ],
    ['heredoc', run('cat > a.py <<EOF\nrm b.py\nEOF'), ['created a.py']],
    ['tee', run('make | tee build.log'), ['created build.log']],
    [
      'output options',
      run('curl -s -o a.json https://x.test/a; sips -s format png b.svg --out b.png'),
      ['created a.json', 'created b.png'],
    ],
    ['touch', [...read('a.ts'), ...run('touch a.ts b.ts')], ['read a.ts', 'created b.ts']],
    [
      'sed -i',
      run("sed -i '' 's/a/b/' a.ts; sed -i.bak -e s/x/y/ b.ts; perl -pi -e 's/a/b/' c.ts"),
      ['modified a.ts', 'modified b.ts', 'modified c.ts'],
    ],
    [
      'readers',
      run("cat a.ts; head -n 20 b.ts; sed -n '1,20p' c.ts | grep x; wc -l d.ts; tail -5 e.ts"),
      ['read a.ts', 'read b.ts', 'read c.ts', 'read d.ts', 'read e.ts'],
    ],
    ['no paths', run('cat *.ts $FILE "$(ls)" https://a.b/c; rm -rf $DIR; head -c 10 /dev/urandom'), []],
    ['git checkout takes back', [...edit('a.ts'), ...run('git checkout -- a.ts')], ['read a.ts']],
    [
      'git checkout from a folder that the log does not have',
      [...edit('/srv/other/src/a.ts'), ...edit('/srv/other/src/b.ts'), ...run('git checkout -- src/a.ts')],
      ['read /srv/other/src/a.ts', 'modified /srv/other/src/b.ts'],
    ],
    [
      'git checkout of what may be one of two files',
      [...edit('/srv/x/src/a.ts'), ...edit('/srv/y/src/a.ts'), ...run('git checkout -- src/a.ts')],
      ['modified /srv/x/src/a.ts', 'modified /srv/y/src/a.ts'],
    ],
    ['git restore of all', [...edit('src/a.ts'), ...run('git restore .')], ['read src/a.ts']],
    ['git reset --hard', [...edit('a.ts'), ...run('git reset --hard')], ['read a.ts']],
    [
      'git reset --hard to another commit',
      [...edit('a.ts'), ...run('git reset --hard v1')],
      ['modified a.ts'],
    ],
    [
      'git checkout of what was committed',
      [...edit('a.ts'), ...run('git commit -am x'), ...run('git checkout a.ts')],
      ['modified a.ts'],
    ],
    ['git checkout of a branch', [...edit('a.ts'), ...run('git checkout main')], ['modified a.ts']],
    ['git checkout of a new file', [...write('a.ts'), ...run('git checkout .')], ['created a.ts']],
    [
      'a script that writes',
      run(`python3 -c "path = 'a.py'\ntext = open(path).read()\nwith open(path, 'w') as f: f.write(text)"`),
      ['modified a.py'],
    ],
    [
      'a script that writes with pathlib',
      run("python3 - <<'EOF'\nfrom pathlib import Path\nPath('a.py').write_text('b')\nEOF"),
      ['modified a.py'],
    ],
    ['a script of Node', run(`node -e "fs.writeFileSync('a.js', b)"`), ['modified a.js']],
    ['a script that reads', run(`python3 -c "print(open('a.py').read())"`), []],
    [
      'a dependency',
      [...read('app/package.json'), ...run('cd app && pnpm add zod'), ...run('npm i x')],
      ['modified app/package.json'],
    ],
    ['a dependency elsewhere', [...run('npm i -g zod'), ...run('pnpm add zod --filter app')], []],
    ['what a tool wrote beside the work', run('rm -f coverage.out'), []],
    ['git rm --cached', run('git rm --cached a.ts'), []],
    [
      'cd',
      run('cd src && cat a.ts && (cd ../lib && cat b.ts) && cat ./c.ts'),
      ['read src/a.ts', 'read lib/b.ts', 'read src/c.ts'],
    ],
    [
      'cd to a folder in which the shell may be already',
      [
        ...run('cd app 2>/dev/null; cat a.ts'),
        ...run('cd app 2>/dev/null; cat b.ts'),
        ...run('cd lib 2>/dev/null; cat c.ts'),
      ],
      ['read app/a.ts', 'read app/b.ts', 'read app/lib/c.ts'],
    ],
    ['cd stays in one shell', [...run('cd src'), ...run('cat a.ts')], ['read src/a.ts']],
    ['outside', [...read('../b.ts'), ...read('/etc/hosts')], ['read /home/ann/b.ts', 'read /etc/hosts']],
    ['home', read('~/shop/x/../a.ts'), ['read a.ts']],
    [
      'notebook',
      toolCall('1', 'NotebookEdit', { notebook_path: 'a.ipynb', new_source: '' }),
      ['modified a.ipynb'],
    ],
    ['scratch of its own', [...run('echo a > /tmp/a.txt'), ...run('rm /tmp/a.txt')], []],
  ])('have their last state: %s', (_, drafts, expected) => {
    expect(outcome(drafts)).toEqual(expected)
  })

  it('include only successful touches', () => {
    const failed = { status: 'error', exitCode: 1 } as const
    expect(
      outcome([
        ...toolCall('1', 'Edit', { file_path: 'a.ts' }, { status: 'denied' }),
        ...shell('2', 'rm b.ts', '', failed),
      ]),
    ).toEqual([])
    expect(outcome(toolCall('1', 'Write', { file_path: 'a.ts', content: '' }, null))).toEqual([])
    // The test failed, but everything before it was done.
    expect(outcome(shell('1', 'echo x > a.ts && npm test', 'FAIL', failed))).toEqual(['created a.ts'])
  })

  it('come from patches, of a tool and of a shell', () => {
    const patch = [
      '*** Begin Patch',
      '*** Add File: new.ts',
      '+one',
      '+two',
      '*** Update File: old.ts',
      '*** Move to: moved.ts',
      '@@',
      '-a',
      '+b',
      '*** Delete File: gone.ts',
      '*** End Patch',
    ].join('\n')
    const expected = [
      { path: 'new.ts', status: 'created', added: 2, removed: 0 },
      { path: 'moved.ts', status: 'renamed', from: 'old.ts', added: 1, removed: 1 },
      { path: 'gone.ts', status: 'deleted' },
    ]
    expect(filesOf(toolCall('1', 'apply_patch', patch))).toMatchObject(expected)
    expect(
      filesOf(toolCall('1', 'shell', { command: ['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF\n`] })),
    ).toMatchObject(expected)
    expect(
      filesOf(toolCall('1', 'shell', { command: ['apply_patch', patch], workdir: `${cwd}/web` }))[0]?.path,
    ).toBe('web/new.ts')
  })

  it('come from the report of the tool first, and lines add up', () => {
    const changes = [{ path: `${cwd}/a.ts`, action: 'modified', added: 3, removed: 1 }] as const
    const drafts = [
      ...toolCall('1', 'Edit', { file_path: 'a.ts', old_string: 'x', new_string: 'y' }, { changes }),
      ...edit('a.ts'),
    ]
    expect(filesOf(drafts)).toEqual([
      {
        path: 'a.ts',
        status: 'modified',
        added: 4,
        removed: 2,
        evidence: ['e1', 'e3'],
        lastEdit: 'e3',
        touches: 2,
      },
    ])
  })

  it('do not count lines that were taken back', () => {
    const replace = (id: string, before: string, after: string) =>
      toolCall(id, 'Edit', { file_path: 'a.ts', old_string: before, new_string: after })
    const sums = (...drafts: EventDraft[][]) => {
      const { added, removed } = filesOf(drafts.flat())[0] ?? {}
      return [added, removed]
    }
    const there = replace('1', 'a\nb', 'a\nc\nd')
    expect(sums(there, replace('2', 'c\nd', 'b'))).toEqual([0, 0])
    expect(sums(there, replace('2', 'd', 'e'))).toEqual([2, 1])
    expect(sums(there, run('git commit -am x'), replace('2', 'd', 'e\nf'), run('git checkout a.ts'))).toEqual(
      [2, 1],
    )
    const create = toolCall(
      '0',
      'Write',
      { file_path: 'a.ts', content: 'a\nb\nc\n' },
      { text: 'File created' },
    )
    expect(sums(create, replace('1', 'b\nc', 'd'))).toEqual([2, 0])
    const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-b\n+c\n*** End Patch'
    const back = '*** Begin Patch\n*** Update File: a.ts\n@@\n-c\n+b\n*** End Patch'
    expect(sums(toolCall('1', 'apply_patch', patch), toolCall('2', 'apply_patch', back))).toEqual([0, 0])
  })

  it('have no counts if something uncounted changed the file', () => {
    expect(filesOf([...edit('a.ts'), ...run('sed -i s/a/b/ a.ts')])[0]).not.toHaveProperty('added')
  })

  it('follow the folder of the shell that subagents in the log of a session share', () => {
    const by = (agent: string, drafts: EventDraft[]) => drafts.map((draft) => ({ ...draft, agent }))
    const write = run('cat > types/a.ts <<EOF\na\nEOF')
    expect(outcome([...by('sub1', run('cd app')), ...by('sub2', write)])).toEqual(['created app/types/a.ts'])
    expect(outcome([...by('a1b2c3', run('cd app')), ...by('a1b2c3', write)])).toEqual(['created types/a.ts'])
  })

  it('are one file if a log without a folder names them by absolute and relative paths', () => {
    const drafts = [
      ...read('./src/a.ts'),
      ...edit('/home/ann/shop/src/a.ts'),
      ...read('b.ts'),
      ...edit('/home/ann/shop/b.ts'),
      ...read('/var/log/x.ts'),
    ]
    expect(extractFacts(makeSession(drafts)).files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      'modified src/a.ts',
      'modified b.ts',
      'read /var/log/x.ts',
    ])
    const two = [...read('src/a.ts'), ...edit('/x/src/a.ts'), ...edit('/y/src/a.ts')]
    expect(extractFacts(makeSession(two)).files).toHaveLength(3)
  })

  it('have a first touch, a last edit and a last touch', () => {
    expect(filesOf([...read('a.ts'), ...edit('a.ts'), ...edit('a.ts'), ...read('a.ts')])[0]).toMatchObject({
      evidence: ['e1', 'e5', 'e7'],
      touches: 4,
    })
    expect(filesOf([...read('b.ts'), ...read('a.ts'), ...edit('b.ts')]).map(({ path }) => path)).toEqual([
      'b.ts',
      'a.ts',
    ])
  })

  it('include paths of Windows logs', () => {
    const drafts = [
      ...read('C:\\srv\\Shop\\src\\a.ts'),
      ...edit('c:\\srv\\shop\\src\\a.ts'),
      ...toolCall('3', 'PowerShell', { command: 'Get-Content .\\b.ts -Encoding UTF8; Remove-Item D:\\c.ts' }),
      ...run('cat /c/srv/shop/d.ts'),
    ]
    const powershell = drafts.map((draft) =>
      draft.type === 'tool_call' && draft.name === 'PowerShell'
        ? { ...draft, kind: 'execute' as const }
        : draft,
    )
    expect(outcome(powershell, 'C:\\srv\\shop')).toEqual(
      ['read src/a.ts', 'modified src/a.ts', 'read b.ts', 'deleted D:/c.ts', 'read d.ts'].filter(
        (line) => line !== 'read src/a.ts',
      ),
    )
  })

  it('leave out copied history', () => {
    expect(outcome(edit('a.ts').map((draft) => ({ ...draft, copied: true as const })))).toEqual([])
  })
})

describe('the lines of files that were only read', () => {
  const part = (path: string, input: object) =>
    toolCall(`${path}${JSON.stringify(input)}`, 'Read', { file_path: path, ...input })
  const sections = (...drafts: EventDraft[]) => filesOf(drafts).map((file) => file.sections)

  it.each<[string, object, string[] | undefined]>([
    ['offset and limit', { offset: 120, limit: 61 }, ['lines 120-180']],
    ['only a limit', { limit: 40 }, ['lines 1-40']],
    ['only an offset', { offset: 500 }, ['from line 500']],
    ['a range', { view_range: [3, 3] }, ['line 3']],
    ['a range up to the end', { view_range: [10, -1] }, ['from line 10']],
    ['start and end', { startLine: '5', endLine: 9 }, ['lines 5-9']],
    ['the whole file', {}, undefined],
    ['the whole file in words', { view_range: [1, -1] }, undefined],
  ])('come from %s', (_, input, expected) => {
    expect(sections(...part('a.ts', input))).toEqual([expected])
  })

  it('are joined, and left out if the whole file was read or edited', () => {
    const first = part('a.ts', { offset: 90, limit: 20 })
    const second = part('a.ts', { offset: 1, limit: 10 })
    const third = part('a.ts', { offset: 11, limit: 5 })
    expect(sections(...first, ...second, ...third)).toEqual([['lines 1-15', 'lines 90-109']])
    expect(sections(...first, ...read('a.ts'))).toEqual([undefined])
    expect(sections(...first, ...edit('a.ts'))).toEqual([undefined])
    expect(sections(...run("sed -n '120,180p' a.ts; sed -n 5,8p b.ts"))).toEqual([
      ['lines 120-180'],
      ['lines 5-8'],
    ])
  })
})

describe('the names that edits define', () => {
  const put = (file_path: string, content: string) =>
    toolCall(`p${content}`, 'Write', { file_path, content }, { text: 'File created successfully' })
  const change = (file_path: string, old_string: string, new_string: string) =>
    toolCall(`c${new_string}`, 'Edit', { file_path, old_string, new_string })
  const definesOf = (drafts: EventDraft[]) => filesOf(drafts).map(({ defines }) => defines)

  it.each<[string, string, string[] | undefined]>([
    [
      'a.ts',
      'export async function openDoor(a: A) {\n  const local = 1\n}\ntype Door = string\nexport const width = 2',
      ['openDoor', 'Door', 'width'],
    ],
    ['a.go', 'func (d *Door) Open() error {\n\treturn nil\n}\ntype Door struct {', ['Open', 'Door']],
    [
      'a.py',
      'class Door:\n    def open_it(self):\n        def inner_one():\n',
      ['Door', 'open_it', 'inner_one'],
    ],
    ['a.rs', 'pub(crate) fn open_it<T>(a: T) {\nimpl Door for A {\npub struct Door {', ['open_it', 'Door']],
    ['notes.md', 'class Door {', undefined],
    ['a.ts', '// The function opens(\nreturn type of it\nclass of doors', undefined],
  ])('are found in lines of %s', (path, text, names) => {
    expect(definesOf(put(path, text))).toEqual([names])
  })

  it('are those of the final text, without names that a later edit removed or a write replaced', () => {
    const first = put('a.ts', 'function first() {}\nfunction second() {}\n')
    const renamed = change('a.ts', 'function first() {}', 'function third() {}')
    expect(definesOf([...first, ...renamed])).toEqual([['second', 'third']])
    expect(definesOf([...first, ...run('rm a.ts')])).toEqual([undefined])
    expect(definesOf([...first, ...put('a.ts', 'class Only {}\n')])).toEqual([['Only']])
  })

  it('takes little time for long lines', () => {
    const started = process.cpuUsage()
    definesOf(put('a.js', `${'export '.repeat(200_000)}\n${' '.repeat(300)}\nfunction ${'('.repeat(390)}`))
    expect(process.cpuUsage(started).user).toBeLessThan(1_500_000)
  })
})

it('include the edit of a call whose result precedes it in the log', () => {
  const [call, result] = toolCall('1', 'Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b' })
  const { files, errors } = extractFacts(makeSession([result as EventDraft, call as EventDraft]))
  expect(files).toMatchObject([{ path: 'a.ts', status: 'modified', added: 1, removed: 1 }])
  expect(errors).toEqual([])
})
