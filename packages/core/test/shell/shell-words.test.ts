import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { splitArguments, splitShellDeep } from '../../src/shell/shell-runs.ts'
import { splitShell } from '../../src/shell/shell-words.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'

const words = (text: string) => splitShellDeep(text).commands.map((command) => command.words.join(' '))

describe('splitShell', () => {
  it.each<[string, string[]]>([
    ['npm test', ['npm test']],
    ['a && b || c; d | e & f\ng', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
    [`echo "a b" 'c d' e\\ f`, ['echo a b c d e f']],
    ['A=b C="d e" npm test', ['npm test']],
    ['PATH="$PATH:/c/Program Files/Go/bin" go test ./...', ['go test ./...']],
    ['X=1; echo $X', ['echo $X']],
    ['npm test # all of them', ['npm test']],
    ['echo a#b', ['echo a#b']],
    [
      "git commit -m \"$(cat <<'EOF'\nit's (done)\nEOF\n)\" && git push",
      ["git commit -m $(cat <<'EOF'\nit's (done)\nEOF\n)", 'git push'],
    ],
    ['cat <<EOF > a.txt\nrm -rf /\nEOF\nls', ['cat', 'ls']],
    ['cat <<-EOF\n\tx && y\n\tEOF\nls', ['cat', 'ls']],
    ['for f in *.ts; do wc -l $f; done', ['wc -l $f']],
    ['if [ -f a ]; then rm a; else touch a; fi', ['[ -f a ]', 'rm a', 'touch a']],
    ['case $x in a) ls;; *) pwd;; esac', ['ls', 'pwd']],
    ['(cd a && ls) && pwd', ['cd a', 'ls', 'pwd']],
    ['make \\\n  test', ['make test']],
    ['a >out 2>&1 <in', ['a']],
    ['diff <(ls a) <(ls b)', ['diff <(ls a) <(ls b)']],
    ['echo "never closed', ['echo never closed']],
    ["echo 'never closed", ['echo never closed']],
    ['echo $(never closed', ['echo $(never closed']],
    ['', []],
    [' \n;;&&', []],
  ])('splits %j', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it('separates redirections, heredocs and assignments before the command', () => {
    const { commands } = splitShell('cat <<EOF > a.txt\nx\ny\nEOF\nmake 2>err.log >>"b c" | tee d &> e')
    expect(commands[0]).toMatchObject({
      words: ['cat'],
      redirects: [{ operator: '>', target: 'a.txt' }],
      heredocs: ['x\ny\n'],
    })
    expect(commands[1]).toMatchObject({
      redirects: [
        { operator: '>', target: 'err.log' },
        { operator: '>>', target: 'b c' },
      ],
      joiner: ';',
    })
    expect(commands[2]).toMatchObject({ joiner: '|', redirects: [{ operator: '>', target: 'e' }] })
  })

  it('follows cd, and forgets it after a subshell', () => {
    const { commands, folder } = splitShell('a; cd x; b; cd y; c; (cd /z; d); e; cd -; f')
    expect(commands.filter(({ words: [name] }) => name !== 'cd').map((command) => command.folder)).toEqual([
      '',
      'x',
      'x/y',
      '/z',
      'x/y',
      undefined,
    ])
    expect(folder).toBeUndefined()
  })

  it.each<[string, string[]]>([
    ["bash -lc 'cd a && npm test'", ['cd a', 'npm test']],
    ['sudo -u root timeout -k 5 30 env A=b npm test', ['npm test']],
    ['time go build ./...', ['go build ./...']],
    ['command -v node', ['command -v node']],
    ['sh -c "sh -c \'make lint\'"', ['make lint']],
    ['nice', ['nice']],
  ])('looks through wrappers: %s', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it('accepts argument arrays', () => {
    expect(splitArguments(['bash', '-lc', 'a && b']).commands.map(({ words: [name] }) => name)).toEqual([
      'a',
      'b',
    ])
    expect(splitArguments(['rg', 'a && b']).commands[0]?.words).toEqual(['rg', 'a && b'])
  })

  it('keeps the backslashes of PowerShell', () => {
    const { commands } = splitShell(
      '$a = Get-Content C:\\x\\y.txt; $b = "some text"; Remove-Item "C:\\a b"',
      'powershell',
    )
    expect(commands.map((command) => command.words)).toEqual([
      ['Get-Content', 'C:\\x\\y.txt'],
      ['Remove-Item', 'C:\\a b'],
    ])
  })

  it('never throws', () => {
    const piece = fc.constantFrom(
      '"',
      "'",
      '`',
      '$(',
      '${',
      ')',
      '(',
      '<<EOF',
      '<<',
      '>',
      '\n',
      ';',
      '&&',
      '|',
      '\\',
      'cd a',
      ' ',
      '#',
      'x',
      'bash -c',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => all.join('')),
        ),
        (text) => void splitShellDeep(text),
      ),
      { seed: seedOf(1) },
    )
  })

  it.each(['"', "'", '`', '$(', '<<A\n', '(', 'a;', '\\', '<(', 'bash -c "', "<<'"])(
    'takes linear time for runs of %j',
    async (piece) => await expectCpuBelow(3000, () => splitShellDeep(piece.repeat(50_000))),
  )
})
