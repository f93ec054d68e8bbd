import { TenfoldError } from '../../errors.ts'

/**
 * Returns a function that matches `/`-joined paths with a glob: `*` and `?` within a name, `**` for any folders, and
 * `{a,b}`. Names that begin with a dot are not special. Throws {@link TenfoldError} `bad-glob` if it is not a valid
 * glob.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const plain = glob.replace(/^\.\//, '')
  const fault =
    plain === '' || plain.startsWith('/') || plain.split('/').includes('..')
      ? 'it must be relative and stay in the folder'
      : plain.length > 1000 || (plain.match(/\*/g) ?? []).length > 20
        ? 'it is too long, or has too many stars'
        : undefined
  if (fault !== undefined) throw badGlob(glob, fault)
  const pattern = new RegExp(`^${translate(plain.endsWith('/') ? `${plain}**` : plain, glob)}$`, 'su')
  return (path) => pattern.test(path)
}

function translate(glob: string, whole: string): string {
  let source = ''
  let open = 0
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at] ?? ''
    if (char === '*' && glob[at + 1] === '*') {
      const folders = glob[at + 2] === '/' && (at === 0 || glob[at - 1] === '/')
      source += folders ? '(?:[^/]+/)*' : '.*'
      at += folders ? 2 : 1
    } else if (char === '*') source += '[^/]*'
    else if (char === '?') source += '[^/]'
    else if (char === '{') {
      open++
      source += '(?:'
    } else if (char === '}' && open > 0) {
      open--
      source += ')'
    } else if (char === ',' && open > 0) source += '|'
    else source += char.replace(/[\\^$.|+()[\]{}/]/, '\\$&')
  }
  if (open > 0) throw badGlob(whole, 'a brace is not closed')
  return source
}

function badGlob(glob: string, reason: string): TenfoldError {
  return new TenfoldError(
    'bad-glob',
    `the glob ${JSON.stringify(glob.slice(0, 200))} cannot be read: ${reason}.`,
  )
}
