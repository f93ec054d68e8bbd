import type { IdentifierKind } from '../facts.ts'

export interface FoundIdentifier {
  readonly kind: IdentifierKind
  readonly text: string
}

const minLength = 3
const maxLength = 200

/** Characters of tokens; everything outside ASCII is a separator. */
const run = /[\w./@~$-]+/y

/** What distinguishes a token from plain words and numbers: a separator, camel case, a digit by a letter, or capitals. */
const telling = /[_./@~$-]|[a-z][A-Z]|.[A-Z][a-z]|\d\D|\D\d|^[A-Z]+$/

// Text between tokens that may be identifiers: separators, plain words, numbers and dashes, but not `exit` before its
// code, nor the beginning of a URL, a drive or a folder such as `/[id]`. Native code skips most of a text with it.
const between =
  /(?:[^\w./@~$-]+|(?!exit (?:code|status))(?:[A-Z]?[a-z]+[.-]*|[A-Z]{1,2}[.-]*|\d[\d.]*-*|[-./@~$]+(?![+[(]))(?![\w./@~$-]|:[/\\])){0,1000}/y

/** Characters of a URL after its scheme. */
const urlRest = /[!#-&*-;=?-Z_a-z~]*/y

/**
 * Finds the identifiers of a text in order, including repeated ones: paths, SHAs, URLs, error names and codes, flags,
 * symbols.
 */
export function findIdentifiers(text: string): FoundIdentifier[] {
  const found: FoundIdentifier[] = []
  scanIdentifiers(text, (token) => {
    const kind = classifyIdentifier(token)
    if (kind !== undefined) found.push({ kind, text: token })
  })
  return found
}

/**
 * Visits each token of the text that may be an identifier, without plain words, in one pass over the characters. Tokens
 * shorter than 3 or longer than 200 characters are skipped.
 */
export function scanIdentifiers(text: string, visit: (token: string) => void): void {
  const end = text.length
  let at = 0
  while (at < end) {
    between.lastIndex = at
    between.test(text)
    at = between.lastIndex
    if (at >= end) break
    const start = afterEscape(text, at)
    at = start
    let hasFolder = false
    for (;;) {
      run.lastIndex = at
      if (!run.test(text)) break
      at = run.lastIndex
      // `[id]` and `(group)` as a folder, `+page.svelte`, and `C:\folder` belong to a path.
      const jump = at < end ? pathPart(text, at, start) : at
      if (jump === at) break
      at = jump
      hasFolder = true
    }
    if (at === start) {
      at += 1
      continue
    }
    const token = text.slice(start, at)
    if (text.startsWith('://', at) && /^[a-z]+$/.test(token)) {
      urlRest.lastIndex = at + 3
      urlRest.test(text)
      at = urlRest.lastIndex
      emit(text, start, at, visit)
      continue
    }
    if (token.length < minLength || token.length > maxLength) continue
    if (hasFolder || telling.test(token)) emit(text, start, at, visit)
    else if (token === 'exit') {
      const exit = /^exit (?:code|status):? \d{1,3}(?!\d)/.exec(text.slice(start, start + 20))
      if (exit !== null) visit(exit[0])
    }
  }
}

/** `\nThe` and `\u003cdiv` in JSON within a text: the letters of the escape do not belong to the word. */
const escapeLetters = /[nrt](?=[A-Z])|u[\da-f]{4}/y

function afterEscape(text: string, at: number): number {
  if (text.charCodeAt(at - 1) !== 92) return at
  escapeLetters.lastIndex = at
  return escapeLetters.test(text) ? escapeLetters.lastIndex : at
}

const tokenCharacter = /[\w./@~$-]/

function pathPart(text: string, at: number, start: number): number {
  const code = text.charCodeAt(at)
  const before = text.charCodeAt(at - 1)
  // `+` after a slash.
  if (code === 43 && before === 47) return at + 1
  // `[…]` or `(…)` after a slash and before a slash or a dot.
  if ((code === 91 || code === 40) && before === 47) {
    const close = code === 91 ? 93 : 41
    for (let next = at + 1; next < at + 40 && next < text.length; next += 1) {
      const char = text.charCodeAt(next)
      if (char === close) {
        const after = text.charCodeAt(next + 1)
        return after === 47 || after === 46 ? next + 1 : at
      }
      if (!tokenCharacter.test(text[next] ?? '')) return at
    }
    return at
  }
  // `C:\` and `C:/`, and the backslashes after it.
  if (code === 58 && at - start === 1) {
    const after = text.charCodeAt(at + 1)
    return after === 92 || after === 47 ? at + 2 : at
  }
  if (code === 92 && text.charCodeAt(start + 1) === 58) return at + (text.charCodeAt(at + 1) === 92 ? 2 : 1)
  return at
}

// Trailing characters of the sentence, not of the token: `.`, `-`, `,`, `:`, `;`, `!`, `?`, `*`, `&`.
const tails = new Set([46, 45, 44, 58, 59, 33, 63, 42, 38])

function emit(text: string, start: number, end: number, visit: (token: string) => void): void {
  let from = start
  let to = end
  while (to > from && tails.has(text.charCodeAt(to - 1))) to -= 1
  const first = text.charCodeAt(from)
  // `</div>` is markup; a leading `//` or single dash is the mark of a comment, list or option.
  if (first === 47 && text.charCodeAt(from - 1) === 60) return
  if (first === 47 && text.charCodeAt(from + 1) === 47) from += 2
  else if (first === 45 && text.charCodeAt(from + 1) !== 45) from += 1
  if (to - from < minLength || to - from > maxLength) return
  // `@./file`, the form in which prompts name a file.
  if (first === 64 && /[./~]/.test(text[from + 1] ?? '')) from += 1
  let token = text.slice(from, to)
  // `file.go-306`, the form of lines around a hit of `grep -C`.
  const last = text.charCodeAt(to - 1)
  if (last >= 48 && last <= 57 && token.includes('-')) token = token.replace(/(\.[a-z]{1,5})-\d+$/, '$1')
  if (/\w\.{2,3}\w/.test(token)) {
    // A range of two revisions or numbers.
    for (const part of token.split(/\.{2,}/)) if (part.length >= minLength) visit(part)
    return
  }
  visit(token)
}

const maxSymbol = 64
const extensions = new Set(
  'ts tsx js jsx mjs cjs mts cts json jsonl json5 jsonc md mdx txt rst adoc py pyi ipynb go mod rs rb php java kt kts scala swift c h cc cpp cxx hpp hh cs fs fsx vb m mm dart ex exs erl hs lhs ml mli clj cljs lua pl pm r jl zig nim sh bash zsh fish ps1 psm1 bat cmd html htm css scss sass less vue svelte astro xml yaml yml toml ini cfg conf env lock sql graphql gql proto csv tsv parquet log diff patch gz zip tar tgz zst png jpg jpeg gif svg webp ico pdf docx xlsx pptx wasm so dll exe dylib db sqlite sqlite3 tf tfvars hcl nix gradle properties plist xcodeproj csproj sln vcxproj cmake mk gitignore gitattributes editorconfig dockerignore npmrc nvmrc snap map tmpl tpl hbs ejs j2 erb slim pug prisma sol vy move tex bib service crt pem key pub'.split(
    ' ',
  ),
)
const folders = new Set(
  'src lib libs test tests spec specs docs doc cmd pkg internal app apps packages scripts bin dist build out node_modules examples config configs public static assets components pages server client api cli core tools vendor include crates modules target e2e fixtures migrations db hooks types utils web frontend backend infra deploy charts plugins skills agents commands'.split(
    ' ',
  ),
)
const media = new Set(['application', 'text', 'image', 'audio', 'video', 'multipart', 'font'])
const errnos = new Set(
  'EACCES EADDRINUSE EADDRNOTAVAIL EAGAIN EBADF EBUSY ECANCELED ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EEXIST EFAULT EFBIG EHOSTUNREACH EINTR EINVAL EIO EISDIR ELOOP EMFILE EMLINK EMSGSIZE ENAMETOOLONG ENETDOWN ENETUNREACH ENFILE ENOBUFS ENODEV ENOENT ENOEXEC ENOMEM ENOSPC ENOSYS ENOTCONN ENOTDIR ENOTEMPTY ENOTFOUND ENOTSOCK ENOTSUP EPERM EPIPE EPROTO ERANGE EROFS ESRCH ESTALE ETIMEDOUT ETXTBSY EXDEV ERESOLVE EBADENGINE ELIFECYCLE SIGABRT SIGBUS SIGINT SIGKILL SIGPIPE SIGSEGV SIGTERM'.split(
    ' ',
  ),
)
const codes =
  /^(?:(?:TS|CS|SC|MSB|NU|BC|FS|RUF|PLR|PLC|PLW|CA|IDE|NETSDK|CVE|RUSTSEC)\d{2,6}|E\d{3,5}|F\d{3}|W\d{3,4})$/

/** Returns the kind of a maximal token of a text, or `undefined` if it is an ordinary word. */
export function classifyIdentifier(text: string): IdentifierKind | undefined {
  if (text.includes('://')) return /:\/\/[\w[]/.test(text) || text.startsWith('file:///') ? 'url' : undefined
  if (text.startsWith('exit ')) return 'error'
  if (text.startsWith('--')) return /^--[A-Za-z][\w.-]*$/.test(text) ? 'flag' : undefined
  if (text.includes('/') || text.includes('\\')) return isPath(text) ? 'path' : undefined
  if (text.includes('-')) return classifyHyphened(text)
  if (text.includes('.')) return classifyDotted(text)
  return classifyWord(text)
}

/** Whether a token with a slash is a path and not `and/or`, `text/plain` or a date. */
function isPath(text: string): boolean {
  if (!/[A-Za-z]/.test(text) || text.includes('//') || text.includes('@/')) return /^@\/\w/.test(text)
  const segments = text.split(/[/\\]/)
  const last = segments.at(-1) ?? ''
  const known = hasExtension(last)
  if (/^(?:[~.]|\.\.|[A-Za-z]:)$/.test(segments[0] ?? '')) return segments.length > 1 && last !== '.'
  if (text.startsWith('/')) return known || segments.filter((segment) => segment !== '').length > 1
  if (media.has(segments[0] ?? '')) return known && segments.length > 2
  if (known || segments.length > 2) return true
  return folders.has(segments[0] ?? '') || /[._\d@-]/.test(text)
}

/** Whether a file name ends in a known extension: `server.ts`, `.gitignore`. */
function hasExtension(name: string): boolean {
  const dot = name.lastIndexOf('.')
  // `wg.Go`, `strings.Map`: a method.
  if (/^[A-Z][a-z]/.test(name.slice(dot + 1))) return false
  // `.json` alone is a file type; `.env` is a file.
  if (dot === 0 && !/^\.(?:env|\w+(?:ignore|rc|attributes|config))$/.test(name)) return false
  return (
    dot >= 0 &&
    dot < name.length - 1 &&
    name.length - dot <= 16 &&
    extensions.has(name.slice(dot + 1).toLowerCase())
  )
}

function classifyHyphened(text: string): IdentifierKind | undefined {
  if (text.includes('.') && hasExtension(text)) return 'path'
  if (/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(text)) return 'symbol'
  if (/^CVE-\d{4}-\d+$/.test(text)) return 'error'
  return /^[A-Z][A-Z\d]{1,9}-\d{1,6}$/.test(text) ? 'symbol' : undefined
}

// `array.map`, `console.log`: names that are more often called than used as file names.
const calls =
  /^(?:console\.log|Math\.log|(?:\w+\.)*(?:process|meta)\.env|.*\.(?:map|key|pub|service|move|diff|patch))$/

function classifyDotted(text: string): IdentifierKind | undefined {
  if (hasExtension(text) && !calls.test(text))
    return /^[\w.@+]+$/.test(text) && /[A-Za-z]/.test(text) ? 'path' : undefined
  if (text.length > maxSymbol) return undefined
  return /^[A-Za-z_$][\w$]+(?:\.[A-Za-z_$][\w$]*)+$/.test(text) && text.length >= 5 ? 'symbol' : undefined
}

function classifyWord(text: string): IdentifierKind | undefined {
  // Most words of a text end here.
  if (/^[a-z]+$/.test(text)) return undefined
  if (/^[\da-f]{7,64}$/.test(text)) {
    return (text.length <= 40 || text.length === 64) && /\d/.test(text) && /[a-f]/.test(text)
      ? 'sha'
      : undefined
  }
  if (text.length > maxSymbol) return undefined
  if (errnos.has(text) || codes.test(text)) return 'error'
  if (/^[A-Z]\w*(?:Error|Exception|Warning|Panic)$/.test(text))
    return /^Test|With/.test(text) ? 'symbol' : 'error'
  if (text.includes('_')) {
    if (!/[A-Za-z\d]_+[A-Za-z\d]|^__\w+__$/.test(text) || !/[A-Za-z]/.test(text)) return undefined
    return /^(?:E_|ERR_|ERROR_)|_(?:ERROR|ERR|FAILED)$/.test(text) ? 'error' : 'symbol'
  }
  if (!/[a-z][A-Z]|[A-Z]{2}[a-z]{2}/.test(text) || !/^[A-Za-z$][\w$]*$/.test(text)) return undefined
  // Many changes between letters and digits: a piece of base64, not a name.
  return (text.match(/\d+/g)?.length ?? 0) > 2 ? undefined : 'symbol'
}
