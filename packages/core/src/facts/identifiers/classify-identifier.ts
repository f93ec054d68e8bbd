import type { IdentifierKind } from '../facts.ts'

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
