import { joinFolders, programName, type ShellRun } from '../../shell/shell-runs.ts'
import type { SimpleCommand } from '../../shell/shell-words.ts'
import { countLines, isPatch, linesOf, patchTouches, printedLines, type Touch } from './touch.ts'

const readers = new Set('cat head tail less more bat nl wc Get-Content gc type'.split(' '))
// Options that name the output file of a program.
const outputFlags: Readonly<Record<'curl' | 'wget' | 'sips', readonly string[]>> = {
  curl: ['-o', '--output'],
  wget: ['-O', '--output-document'],
  sips: ['-o', '--out'],
}

// Options of these readers that take a value.
const readerValues = new Set('-n -c -b -w -s -v --lines --bytes -TotalCount -Tail'.split(' '))

/** Returns the files that a shell command touched, judging by its words alone, not by what the programs do. */
export function shellTouches(run: ShellRun, commands: readonly SimpleCommand[] = run.commands): Touch[] {
  return commands.flatMap((command) => {
    const folder = joinFolders(run.folder, command.folder)
    return commandTouches(command).flatMap((touch): Touch[] => {
      const paths = touch.to === undefined ? [touch.path] : [touch.path, touch.to]
      if (!paths.every((path) => isLikelyPath(path) || (touch.action === 'restore' && path === '.')))
        return []
      const based = folder === undefined || folder === '' ? touch : { ...touch, folder }
      if (folder === undefined && !paths.every((path) => /^(?:[/~]|[A-Za-z]:)/.test(path))) return []
      return [{ ...based, guessed: true }]
    })
  })
}

function commandTouches(command: SimpleCommand): Touch[] {
  const patch = [...command.heredocs, ...command.words.slice(1)].find(isPatch)
  if (patch !== undefined && /^apply_?patch$/.test(programName(command.words[0] ?? '')))
    return patchTouches(patch)
  return [
    ...wordTouches(command),
    ...manifestTouches(command.words),
    ...scriptTouches(command),
    ...redirectTouches(command),
  ]
}

function redirectTouches({ words, redirects, heredocs }: SimpleCommand): Touch[] {
  return redirects.flatMap(({ operator, target }): Touch[] => {
    if (operator === '<') return [{ action: 'read', path: target }]
    const body = words[0] === 'cat' && words.length === 1 ? heredocs[0] : undefined
    const added =
      body === undefined ? {} : { added: countLines(body), diff: { added: linesOf(body), removed: [] } }
    return [{ action: operator === '>' ? 'write' : 'modify', path: target, ...added }]
  })
}

function wordTouches(command: SimpleCommand): Touch[] {
  const [first = '', second = ''] = command.words
  const program = programName(first)
  if (program === 'git') {
    const restored = restoreTouches(second, command.words.slice(2))
    if (restored !== undefined) return restored
  }
  const git = program === 'git' && (second === 'mv' || second === 'rm')
  const verb = git ? second : program
  const args = command.words.slice(git ? 2 : 1)
  const plain = operands(args)
  const flags = args.filter((arg) => arg.startsWith('-'))
  switch (verb) {
    case 'mv':
    case 'cp':
    case 'Move-Item':
    case 'Copy-Item':
      return placeTouches(verb === 'mv' || verb === 'Move-Item' ? 'move' : 'copy', plain)
    case 'rm':
    case 'unlink':
    case 'trash':
    case 'Remove-Item': {
      if (flags.includes('--cached')) return []
      const recursive = flags.some((flag) => /^(?:-[a-zA-Z]*[rR][a-zA-Z]*|--recursive|-Recurse)$/.test(flag))
      return plain.map((path) => ({ action: 'delete', path, recursive }))
    }
    case 'touch':
      return plain.map((path) => ({ action: 'ensure', path }))
    case 'tee':
      return plain.map((path) => ({ action: flags.includes('-a') ? 'modify' : 'write', path }))
    case 'Set-Content':
    case 'Out-File':
    case 'Add-Content':
      return plain.slice(0, 1).map((path) => ({ action: verb === 'Add-Content' ? 'modify' : 'write', path }))
    case 'sed':
    case 'perl':
      return streamTouches(verb, args)
    case 'ln':
      return plain.length === 2 ? [{ action: 'create', path: plain[1] ?? '' }] : []
    case 'curl':
    case 'wget':
    case 'sips': {
      const flag = args.findIndex((arg) => outputFlags[verb].includes(arg))
      const path = flag < 0 ? undefined : args[flag + 1]
      return path === undefined || path === '-' ? [] : [{ action: 'write', path }]
    }
    default:
      return readers.has(verb) ? operands(args, readerValues).map((path) => ({ action: 'read', path })) : []
  }
}

/** Reads `git checkout a.ts`, `git restore a.ts` and `git reset --hard`; only files that the session touched count. */
function restoreTouches(sub: string, args: readonly string[]): Touch[] | undefined {
  const has = (flag: RegExp) => args.some((arg) => flag.test(arg))
  if (sub === 'reset')
    return has(/^--hard$/) && args.every((arg) => arg.startsWith('-') || arg === 'HEAD')
      ? [{ action: 'restore', path: '.' }]
      : []
  if (sub !== 'checkout' && sub !== 'restore') return undefined
  if (has(/^(?:-[bBcCp]|--(?:ours|theirs|patch|orphan|staged|source(?:=.*)?))$/)) return []
  return operands(args).map((path) => ({ action: 'restore', path }))
}

function placeTouches(action: 'move' | 'copy', plain: readonly string[]): Touch[] {
  const to = plain.at(-1)
  if (to === undefined || plain.length < 2) return []
  const into = plain.length > 2 || /[/\\]$/.test(to) || to === '.' || to === '..'
  return plain.slice(0, -1).map((path) => ({ action, path, to, into }))
}

function streamTouches(verb: 'sed' | 'perl', args: readonly string[]): Touch[] {
  if (verb === 'perl') {
    const script = args.findIndex((arg) => /^-[a-z0-9]*[eE]$/.test(arg))
    const inPlace = args.some((arg) => /^-[a-z0-9]*i/.test(arg))
    return inPlace ? operands(args.slice(script + 2)).map((path) => ({ action: 'modify', path })) : []
  }
  const inPlace = args.some((arg) => /^(?:-[nErsz]*i|--in-place)/.test(arg))
  const scripted = args.some((arg) => /^-[nErsz]*[ef]$|^--expression/.test(arg))
  // The script follows `-e`, or is the first operand; BSD's `-i ''` leaves an empty word.
  const plain = operands(args, new Set(['-e', '-f', '-l', '--expression']))
  const files = scripted ? plain : plain.filter((word) => word !== '').slice(1)
  if (inPlace) return files.map((path) => ({ action: 'modify', path }))
  const lines = printedLines(
    scripted ? (args[args.findIndex((arg) => /^-n?e$/.test(arg)) + 1] ?? '') : (plain[0] ?? ''),
  )
  return files.map((path) => ({ action: 'read', path, ...(lines !== undefined && { lines }) }))
}

function operands(args: readonly string[], values: ReadonlySet<string> = new Set()): string[] {
  const plain: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (arg === '--') return [...plain, ...args.slice(at + 1)]
    if (values.has(arg) || withValue.test(arg)) at += 1
    else if (!arg.startsWith('-') && !(arg.startsWith('+') && /^\+\d+$/.test(arg))) plain.push(arg)
  }
  return plain
}

/** PowerShell's parameters have long names and, except for switches, a value. */
const withValue = /^-(?!Path|LiteralPath|FilePath|Raw|Recurse|Force|Wait|Append)[A-Z][A-Za-z]{3,}$/

/** False for text that is not certainly one file: variables, globs, devices, URLs, numbers, code. */
function isLikelyPath(path: string): boolean {
  if (path === '' || path.length > 400 || /[$`*?{}<>|;"'\n\r\t=!^]|:\/\//.test(path)) return false
  // Drives of PowerShell that hold no files.
  if (/^(?:Env|Function|Variable|Alias|HKLM|HKCU|Cert):/i.test(path)) return false
  if (/^(?:\/dev\/|\/proc\/|-|&)/.test(path) || /^(?:NUL|nul|@-|~)$/.test(path)) return false
  return /\p{L}/u.test(path) && !/[,([\\]\s|\s[,)\]]|^\d+[a-z]?$/.test(path)
}

const maxScript = 50_000
const literal = String.raw`['"]([^'"\n]{1,300})['"]`
const name = String.raw`([A-Za-z_]\w{0,60})`

const assigned = new RegExp(String.raw`\b${name}\s*=\s*(?:(?:pathlib\.)?Path\()?${literal}`, 'g')
const opened = new RegExp(String.raw`\bopen\(\s*(?:${literal}|${name})\s*,\s*['"]([wa])`, 'g')
const written = new RegExp(
  String.raw`\b(?:(?:pathlib\.)?Path\(\s*(?:${literal}|${name})\s*\)|${name})\.write_(?:text|bytes)\(`,
  'g',
)
const stored = new RegExp(String.raw`\b(?:write|append)File(?:Sync)?\(\s*(?:${literal}|${name})\s*,`, 'g')

/** Returns the files that a script of Python or Node writes, if they are literals in it: `open('a.py', 'w')`. */
function scriptTouches({ words, heredocs }: SimpleCommand): Touch[] {
  if (!/^(?:python(?:\d(?:\.\d+)?)?|py|node|bun|deno|tsx)$/.test(programName(words[0] ?? ''))) return []
  const flag = words.findIndex((word) => /^-(?:c|e|-eval)$/.test(word))
  const script = [...heredocs, ...(flag < 1 ? [] : [words[flag + 1] ?? ''])].join('\n').slice(0, maxScript)
  if (!/\bopen\(|\.write_(?:text|bytes)\(|(?:write|append)File/.test(script)) return []
  const values = new Map([...script.matchAll(assigned)].map(([, key = '', value = '']) => [key, value]))
  const paths = new Set<string>()
  const add = (path: string | undefined, key: string | undefined) => {
    const found = path ?? values.get(key ?? '')
    if (found !== undefined) paths.add(found)
  }
  for (const [, path, key] of script.matchAll(opened)) add(path, key)
  for (const [, path, key, own] of script.matchAll(written)) add(path, key ?? own)
  for (const [, path, key] of script.matchAll(stored)) add(path, key)
  return [...paths].map((path) => ({ action: 'modify', path }))
}

/** Commands that add or remove a dependency, and the file that lists it. */
const manifests: readonly (readonly [command: RegExp, file: string])[] = [
  [
    /^(?:npm (?:i|install|add|uninstall)|(?:npm|pnpm|bun) (?:add|remove|rm)|yarn (?:add|remove))$/,
    'package.json',
  ],
  [/^(?:uv|poetry|pdm) (?:add|remove)$/, 'pyproject.toml'],
  [/^cargo (?:add|remove|rm)$/, 'Cargo.toml'],
  [/^composer (?:require|remove)$/, 'composer.json'],
  [/^go get$/, 'go.mod'],
]

/** Options for another folder, the whole machine, or no change of the list. */
const otherPlace =
  /^(?:-g|--global|--no-save|-w|--workspace\S*|--filter\S*|-F|-C|--dir\S*|--prefix\S*|--cwd\S*|--project\S*|--directory\S*|--manifest-path\S*|-p|--package\S*|--dry-run)$/

/** Returns the dependency list that a package manager changed in its folder, if the log names it: `pnpm add zod`. */
function manifestTouches([program = '', sub, ...args]: readonly string[]): Touch[] {
  const path = manifests.find(([command]) => command.test(`${programName(program)} ${sub}`))?.[1]
  const isElsewhere = args.some((arg) => otherPlace.test(arg)) || args.every((arg) => arg.startsWith('-'))
  return path === undefined || isElsewhere ? [] : [{ action: 'modify', path, onlyKnown: true }]
}
