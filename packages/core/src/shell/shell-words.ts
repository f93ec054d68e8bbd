import { type Heredoc, readHeredocBody, readHeredocStart, readHereString, skipNested } from './shell-skip.ts'

/** A simple command of a shell text: a program with its arguments. */
export interface SimpleCommand {
  /** Quotes resolved; `$(…)`, backticks and `$name` unchanged. Without assignments and redirections. */
  readonly words: readonly string[]
  /** Output and input files, without `2>&1` and the like. */
  readonly redirects: readonly Redirect[]
  /** Bodies of its heredocs. */
  readonly heredocs: readonly string[]
  /** The operator before the command; empty for the first one. */
  readonly joiner: '' | '&&' | '||' | ';' | '|' | '&'
  /** Folder of the command after earlier `cd`s, relative to the start; empty for the start folder, absent if unknown. */
  readonly folder?: string
}

interface Redirect {
  readonly operator: '>' | '>>' | '<'
  readonly target: string
}

export interface ShellText {
  readonly commands: readonly SimpleCommand[]
  /** Folder at the end, see {@link SimpleCommand.folder}. */
  readonly folder?: string
}

export type ShellDialect = 'posix' | 'powershell'

const keywords = new Set('if then else elif fi while until do done ! { } esac'.split(' '))
const headers = new Set(['for', 'case', 'select', 'function'])
const assignment = /^[A-Za-z_]\w*\+?=/

interface Draft {
  words: string[]
  redirects: Redirect[]
  heredocs: string[]
  joiner: SimpleCommand['joiner']
}

/**
 * Splits a shell text into its simple commands, in linear time. Unclosed quotes end with the text; it never throws.
 * Control flow is flattened: the commands of all branches are listed.
 */
export function splitShell(
  text: string,
  dialect: ShellDialect = 'posix',
  start: string | null = '',
): ShellText {
  const posix = dialect === 'posix'
  const escapeChar = posix ? '\\' : '`'
  const commands: SimpleCommand[] = []
  const folders: (string | null)[] = []
  let folder = start
  let draft: Draft = { words: [], redirects: [], heredocs: [], joiner: '' }
  let docs: { doc: Heredoc; draft: Draft }[] = []
  let redirect: Redirect['operator'] | undefined
  let word: string | undefined
  let quoted = false
  let assigned = false
  let at = 0
  // For PowerShell: words that contain quotes, and whether `&`, which runs a text, precedes the command.
  let literals = new Set<string>()
  let called = false
  const pushed: (string | null)[] = []

  const add = (part: string) => {
    word = (word ?? '') + part
  }
  const endWord = () => {
    if (word === undefined) return
    if (!quoted) assigned = posix && assignment.test(word)
    if (redirect !== undefined) {
      if (!/^(?:\d+|-|&\d+)$/.test(word)) draft.redirects.push({ operator: redirect, target: word })
      redirect = undefined
    } else if (draft.words.length > 0 || !(assigned || (!quoted && keywords.has(word)))) {
      if (quoted && !posix) literals.add(word)
      draft.words.push(word)
    }
    word = undefined
    quoted = false
    assigned = false
  }
  // In `A="b c"` the name precedes the quotes.
  const quote = () => {
    if (!quoted) assigned = posix && word !== undefined && assignment.test(word)
    quoted = true
  }
  const endCommand = (joiner: SimpleCommand['joiner']) => {
    endWord()
    redirect = undefined
    if (!posix && !called) draft.words = withoutExpression(draft.words, literals)
    literals = new Set()
    called = false
    const isCommand = draft.words.length > 0 || draft.redirects.length > 0
    if (isCommand && !headers.has(draft.words[0] ?? '')) {
      commands.push(folder === null ? draft : { ...draft, folder })
      if (joiner !== '|' && draft.joiner !== '|') changeFolder(draft.words)
    }
    // Pending heredocs belong to the object that was pushed, so its array is shared.
    draft = { words: [], redirects: [], heredocs: [], joiner: isCommand ? joiner : draft.joiner || joiner }
  }

  const changeFolder = ([program = '', ...args]: readonly string[]) => {
    if (/^(?:popd|Pop-Location)$/.test(program)) {
      folder = pushed.pop() ?? null
    } else if (/^(?:cd|pushd|Set-Location|Push-Location)$/.test(program)) {
      if (/^pu/i.test(program)) pushed.push(folder)
      folder = folderAfter(folder, args)
    }
  }

  while (at < text.length) {
    const char = text[at] as string
    const here = posix || char !== '@' || word !== undefined ? undefined : readHereString(text, at)
    if (here !== undefined) {
      quote()
      add(here.content)
      at = here.end
    } else if (char === escapeChar) {
      if (text[at + 1] !== '\n') {
        quote()
        add(text[at + 1] ?? '')
      }
      at += 2
    } else if (char === "'") {
      const close = text.indexOf("'", at + 1)
      const end = close < 0 ? text.length : close
      quote()
      add(text.slice(at + 1, end))
      at = end + 1
    } else if (char === '"') {
      const end = skipNested(text, at, escapeChar)
      const inner = text.slice(at + 1, text[end - 1] === '"' && end - 1 > at ? end - 1 : end)
      quote()
      add(
        posix && inner.includes('\\')
          ? inner.replace(/\\(["\\$`\n])/g, (_, c: string) => (c === '\n' ? '' : c))
          : inner,
      )
      at = end
    } else if (char === '$' && (text[at + 1] === '(' || text[at + 1] === '{')) {
      const end = skipNested(text, at, escapeChar)
      add(text.slice(at, end))
      at = end
    } else if (char === '$' && text[at + 1] === "'") {
      at += 1
    } else if (char === '`') {
      const end = skipNested(text, at)
      add(text.slice(at, end))
      at = end
    } else if (char === '#' && word === undefined) {
      const newline = text.indexOf('\n', at)
      at = newline < 0 ? text.length : newline
    } else if (char === '\n') {
      endCommand(';')
      at += 1
      for (const { doc, draft: owner } of docs) {
        const { body, end } = readHeredocBody(text, at, doc)
        owner.heredocs.push(body)
        at = Math.min(end + 1, text.length)
      }
      docs = []
    } else if (char === ' ' || char === '\t' || char === '\r') {
      endWord()
      at += 1
    } else if (char === ';') {
      endCommand(';')
      at += 1
    } else if (char === '|') {
      const or = text[at + 1] === '|'
      endCommand(or ? '||' : '|')
      at += or || text[at + 1] === '&' ? 2 : 1
    } else if (char === '&') {
      if (text[at + 1] === '>') {
        endWord()
        redirect = text[at + 2] === '>' ? '>>' : '>'
        at += redirect === '>>' ? 3 : 2
      } else {
        const and = text[at + 1] === '&'
        endCommand(and ? '&&' : '&')
        called = !posix && !and
        at += and ? 2 : 1
      }
    } else if (char === '<' || char === '>') {
      if (text[at + 1] === '(') {
        const end = skipNested(text, at + 1, escapeChar)
        add(text.slice(at, end))
        at = end
        continue
      }
      if (word !== undefined && !quoted && /^\d+$/.test(word)) word = undefined
      endWord()
      const doc = posix && char === '<' ? readHeredocStart(text, at) : undefined
      if (doc !== undefined) {
        docs.push({ doc, draft })
        at = doc.end
      } else if (text.startsWith('<<<', at)) {
        redirect = '<'
        at += 3
      } else {
        redirect = char === '>' && text[at + 1] === '>' ? '>>' : char
        at += redirect.length
        if (text[at] === '|') at += 1
        if (text[at] === '&') {
          at += 1
          // `>&2` names a descriptor, `>& file` a file.
          if (/[\d-]/.test(text[at] ?? '')) redirect = undefined
          while (/[\d-]/.test(text[at] ?? '')) at += 1
        }
      }
    } else if (char === '(') {
      if (word !== undefined) {
        const end = skipNested(text, at, escapeChar)
        add(text.slice(at, end))
        at = end
      } else {
        endCommand(draft.joiner || ';')
        folders.push(folder)
        at += 1
      }
    } else if (char === ')') {
      if (folders.length > 0) {
        endCommand(';')
        folder = folders.pop() ?? null
      } else {
        // A pattern of `case`.
        word = undefined
        draft = { words: [], redirects: [], heredocs: [], joiner: ';' }
      }
      at += 1
    } else {
      const from = at
      at += 1
      while (at < text.length && !isSpecial(text.charCodeAt(at))) at += 1
      add(text.slice(from, at))
    }
  }
  endCommand(';')
  return folder === null ? { commands } : { commands, folder }
}

const special = new Set([...'\\\'"$`#\n \t\r;|&<>()'].map((char) => char.charCodeAt(0)))

function isSpecial(code: number): boolean {
  // `#` inside a word is an ordinary character; its branch checks that.
  return special.has(code)
}

function folderAfter(folder: string | null, args: readonly string[]): string | null {
  const target = args.find((word) => !/^-(?:-|P|L|Path|LiteralPath)$/.test(word))
  if (target === undefined || target === '-' || /[$`*?]/.test(target)) return null
  if (/^(?:[/\\~]|[A-Za-z]:)/.test(target)) return target
  if (folder === null) return null
  return folder === '' ? target : `${folder}/${target}`
}

/**
 * Returns the words of a PowerShell command without an assignment: `git show …` for `$found = git show …`. Empty if
 * they are only a value: a text, a variable, `$body = "…"`. `literals` are the words with quotes.
 */
function withoutExpression(words: readonly string[], literals: ReadonlySet<string>): string[] {
  const [first = ''] = words
  const joined = /^\$[\w:.[\]]+(?:[-+*/]?=)/.exec(first)?.[0]
  const operator = /^\$[\w:.[\]]+$/.test(first) && /^[-+*/]?=$/.test(words[1] ?? '')
  if (joined === undefined && !operator) return literals.has(first) ? [] : [...words]
  const value = joined === undefined ? words.slice(2) : [first.slice(joined.length), ...words.slice(1)]
  const isText = literals.has(first) || literals.has(value[0] ?? '')
  return !isText && /^[A-Za-z][\w-]*$/.test(value[0] ?? '') ? value : []
}
