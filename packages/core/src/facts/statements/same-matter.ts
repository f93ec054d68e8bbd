import { findIdentifiers } from '../identifiers/find-identifiers.ts'
import { topicWords } from './words.ts'

/** What a statement is about, for a comparison with others. */
export interface Matter {
  /** Stems of the words that carry it, in the order of the text, with names and numbers; a file by its name. */
  readonly words: ReadonlySet<string>
  /** Those before the first detail: in `POST /login fails with 500 (null pointer in a.ts)` all but the last three. */
  readonly head: ReadonlySet<string>
  /** Words that it denies or puts aside. */
  readonly denied: ReadonlySet<string>
  /** Paths of files, lower case. */
  readonly files: readonly string[]
  /** Places in files: `session.ts:40`. */
  readonly places: ReadonlySet<string>
  /** Names and numbers that hardly occur in two matters by chance. */
  readonly marks: ReadonlySet<string>
  /** It says that something works, passes or is solved. */
  readonly solved: boolean
}

// What problems have in common, as stems: it does not tell one from another.
const symptoms = new Set(
  'fail failur error return throw crash break brok broke issu problem bug bugs still currently again occur happen caus due get give respond seem appear see seen found produc exit exception wrong wrongly incorrect incorrectly'.split(
    ' ',
  ),
)

// Words without a meaning of their own, whatever language a short text is taken for.
const fillers = new Set(
  'the of on in at to for from by with as is are was be it its this that these those which who and or also so then than into onto over per via all any each an'.split(
    ' ',
  ),
)

// The same parts of the work have other tasks: the code, its tests, its documents.
const aspects =
  /^(?:tests?|spec|docs?|document\w*|readme|changelog|benchmark\w*|typ|types|lint|review\w*|migrat\w*|mock\w*|exampl\w*|revert\w*|undo|remov\w*|delet\w*|renam\w*|deprecat\w*|reproduc\w*|investigat\w*|measur\w*|monitor\w*|deploy\w*|releas\w*|skip\w*|ignor\w*|disabl\w*|except|unless|without|unlik|former|previous\w*)$/

const denials =
  /(?<![\p{L}\p{N}_-])(?:not|never|no|none|without|cannot|\w+n['’]t|instead of|rather than|in place of|no longer|replac(?:e|es|ed|ing)|drop(?:s|ped|ping)?|remov(?:e|es|ed|ing)|away from|except|unlike|nicht|nie|kein\w*|ohne|statt|pas|jamais|sans|sin|nunca|não|sem|non|senza|не|без)(?![\p{L}\p{N}_-])|不|没|ない|なし|않|없이/giu

/** Words with a meaning that a denial reaches. */
const reach = 2

const solving =
  /\b(?:fixed|fixes|solved|resolved|repaired|corrected|mended|patched|works|passes|passed|passing|green|gone|unblocked|succeeds|succeeded|behoben|gelöst|corrigé|résolu|resuelto|arreglado|risolto|corrigido|resolvido)\b|исправлен|решен|已修复|已解决|修正済み|解決済み/i
const unsolved =
  /\b(?:not|never|isn['’]t|wasn['’]t|cannot be|to be|nothing|nicht|pas|no|non|não)(?: \w+)? (?:fixed|solved|resolved|repaired|passing|green|gone|works|behoben|gelöst|corrigé|resuelto|risolto|resolvido)\b/i

/** Pairs that two matters may have the other way round. */
const roles = [
  ['client', 'serv'],
  ['source', 'target'],
  ['read', 'writ'],
  ['input', 'output'],
  ['parent', 'child'],
  ['local', 'remot'],
  ['old', 'new'],
  ['befor', 'after'],
  ['user', 'admin'],
  ['request', 'response'],
  ['sender', 'receiver'],
] as const

const maxLength = 2000
const place = /([\w@./\\-]*\w\.[A-Za-z]\w{0,9})(?::(\d+)(?::\d+)?|\((\d+),\d+\))/g
const detail =
  /[,;:(–—]\s|[,;:(–—]$|\s\(|\.\s|\s(?:but|because|since|while|whereas|when|after|weil|aber|denn)\s/u

/** Reads what a statement is about. */
export function matterOf(statement: string): Matter {
  const given = statement.slice(0, maxLength)
  const places = new Set<string>()
  const text = given.replace(place, (_, file: string, line?: string, row?: string) => {
    places.add(`${fileName(file)}:${line ?? row}`)
    return file
  })
  const names = findIdentifiers(text).filter(({ kind }) => kind !== 'url')
  const files = names.flatMap(({ kind, text: name }) =>
    kind === 'path' && /\.\w+$/.test(name) ? [plainPath(name)] : [],
  )
  const order = wordsIn(text, files)
  const marks = new Set([
    ...names.filter(({ kind }) => kind !== 'path').flatMap(({ text: name }) => wordsIn(name, files)),
    ...[...text.matchAll(/`([^`\n]{2,80})`/g)].flatMap(([, quoted = '']) => wordsIn(quoted, files)),
    ...order.filter((word) => /^\d{3,}$/.test(word)),
  ])
  return {
    words: new Set(order),
    head: new Set(wordsIn(text.split(detail, 1)[0] ?? '', files)),
    denied: deniedIn(text, files),
    files,
    places,
    marks,
    solved: solving.test(text) && !unsolved.test(text),
  }
}

/** Whether another statement says everything that one says about its matter, and perhaps more. */
export function isPartOf(less: Matter, more: Matter): boolean {
  if (less.words.size === 0 || less.words.size > more.words.size) return false
  for (const word of less.words) if (!more.words.has(word)) return false
  return isTelling(less, more) && !isOther(less, more)
}

/** Whether what they share hardly belongs to two matters. */
function isTelling(less: Matter, more: Matter): boolean {
  const marked = [...less.marks].filter((mark) => less.words.has(mark)).length
  const names = marked + less.files.length
  const isTold = [...less.words].every((word) => more.head.has(word))
  if (less.words.size >= 4) return names > 0 || isSameOrder(less, more, () => true)
  if (less.words.size === 3) return names > 1 || (names > 0 && isTold)
  return less.words.size === 2 && marked > 0 && isTold
}

/** Whether a detail keeps two statements of the same words apart. */
function isOther(less: Matter, more: Matter): boolean {
  if (less.solved !== more.solved) return true
  if ([...more.words].some((word) => !less.words.has(word) && aspects.test(word))) return true
  if ([...less.words].some((word) => less.denied.has(word) !== more.denied.has(word))) return true
  if (!less.files.every((file) => more.files.some((other) => `/${other}`.endsWith(`/${file}`)))) return true
  if (!isSameOrder(less, more, (word) => /^\d+(?:[.,]\d+)*%?$/.test(word))) return true
  if (!isSameOrder(less, more, (word) => less.marks.has(word) && !/^\d/.test(word))) return true
  if (roles.some((pair) => !isSameOrder(less, more, (word) => pair.some((role) => role === word))))
    return true
  return [...less.places].some((at) => {
    const file = at.slice(0, at.lastIndexOf(':'))
    return !more.places.has(at) && [...more.places].some((other) => other.startsWith(`${file}:`))
  })
}

function isSameOrder(less: Matter, more: Matter, counts: (word: string) => boolean): boolean {
  const first = [...less.words].filter(counts)
  if (first.length < 2) return true
  const held = new Set(first)
  return [...more.words].filter((word) => held.has(word)).join(' ') === first.join(' ')
}

/** The words in order, without the symptoms; a path is one word, the name of its file. */
function wordsIn(text: string, files: readonly string[]): string[] {
  const named = text
    .split(/\s+/)
    .map((word) => {
      const path = plainPath(word.replace(/^[`'"([]+|[`'")\],;:.!?]+$/g, ''))
      return files.includes(path) ? fileName(path) : word
    })
    .join(' ')
  return [...topicWords(named)].filter((word) => !symptoms.has(word) && !fillers.has(word))
}

function deniedIn(text: string, files: readonly string[]): Set<string> {
  return new Set(
    [...text.matchAll(denials)].flatMap(({ index, 0: cue }) => {
      const rest = text.slice(index + cue.length, index + cue.length + 200).trimStart()
      return wordsIn(rest.split(detail, 1)[0] ?? '', files).slice(0, reach)
    }),
  )
}

function plainPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\.\//, '').toLowerCase()
}

function fileName(path: string): string {
  return plainPath(path).split('/').at(-1) ?? path
}
