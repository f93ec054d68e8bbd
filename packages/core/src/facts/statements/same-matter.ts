import { findIdentifiers } from '../identifiers/find-identifiers.ts'
import { topicWords } from './words.ts'

/** The topic of a statement, for comparison with others. */
export interface Matter {
  /** Stems of its meaningful words, in the order of the text, with names and numbers; a file by its name. */
  readonly words: ReadonlySet<string>
  /** Words before the first detail: in `POST /login fails with 500 (null pointer in a.ts)` all but the last three. */
  readonly head: ReadonlySet<string>
  /** Names in code, and numbers, which hardly occur in two topics by chance. */
  readonly marks: ReadonlySet<string>
  /** Words that it denies or dismisses. */
  readonly denied: ReadonlySet<string>
  /** Paths of files. */
  readonly files: readonly string[]
  /** Lines in files: `session.ts:40`. */
  readonly places: readonly string[]
  /** True if it states that something works, passes or is solved. */
  readonly solved: boolean
}

// Stems that problems have in common, and words without their own meaning, which distinguish no topics.
const common = new Set(
  'fail failur error return throw crash break brok broke issu problem bug bugs still currently again occur happen caus due get give respond seem appear see seen found produc exit exception wrong wrongly incorrect incorrectly the of on in at to for from by with as is are was be it its this that these those which who and or also so then than into onto over per via all any each an'.split(
    ' ',
  ),
)

// Parts of the work with separate tasks: the code, its tests, its documents.
const aspects =
  /^(?:tests?|spec|docs?|document\w*|readme|changelog|benchmark\w*|typ|types|lint|review\w*|migrat\w*|mock\w*|exampl\w*|revert\w*|undo|remov\w*|delet\w*|renam\w*|deprecat\w*|reproduc\w*|investigat\w*|measur\w*|monitor\w*|deploy\w*|releas\w*|skip\w*|ignor\w*|disabl\w*|except|unless|without|unlik|former|previous\w*)$/

const denials =
  /(?<![\p{L}\p{N}_-])(?:not|never|no|none|without|cannot|\w+n['’]t|instead of|rather than|in place of|no longer|replac(?:e|es|ed|ing)|drop(?:s|ped|ping)?|remov(?:e|es|ed|ing)|away from|except|unlike|nicht|nie|kein\w*|ohne|statt|pas|jamais|sans|sin|nunca|não|sem|non|senza|не|без)(?![\p{L}\p{N}_-])|不|没|ない|なし|않|없이/giu

/** Number of meaningful words that a denial covers. */
const reach = 2

const solving =
  /(?<!\b(?:not|never|isn['’]t|wasn['’]t|cannot be|to be|nothing|nicht|pas|no|non|não)(?: \w+)? )(?:\b(?:fixed|fixes|solved|resolved|repaired|corrected|mended|patched|works|passes|passed|passing|green|gone|unblocked|succeeds|succeeded|behoben|gelöst|corrigé|résolu|resuelto|arreglado|risolto|corrigido|resolvido)\b|исправлен|решен|已修复|已解决|修正済み|解決済み)/i

const maxLength = 2000
const place = /([\w@./\\-]*\w\.[A-Za-z]\w{0,9})(?::(\d+)(?::\d+)?|\((\d+),\d+\))/g
const detail = /[,;:(–—]\s|\s\(|\.\s|\s(?:but|because|since|while|whereas|when|after|weil|aber|denn)\s/u

/** Reads what a statement is about. */
export function matterOf(statement: string): Matter {
  const places: string[] = []
  const text = statement
    .slice(0, maxLength)
    .replace(place, (_, file: string, line?: string, row?: string) => {
      places.push(`${fileName(file)}:${line ?? row}`)
      return file
    })
  const names = findIdentifiers(text).filter(({ kind }) => kind !== 'url')
  const isFile = ({ kind, text: name }: (typeof names)[number]) => kind === 'path' && /\.\w+$/.test(name)
  const files = names.filter(isFile).map(({ text: name }) => plainPath(name))
  const words = wordsIn(text, files)
  const quoted = [...text.matchAll(/`([^`\n]{2,80})`/g)].map(([, code = '']) => code)
  const named = [...names.filter(({ kind }) => kind !== 'path').map(({ text: name }) => name), ...quoted]
  return {
    words: new Set(words),
    head: new Set(wordsIn(text.split(detail, 1)[0] ?? '', files)),
    marks: new Set([
      ...named.flatMap((name) => wordsIn(name, files)),
      ...words.filter((word) => /^\d{3,}$/.test(word)),
    ]),
    denied: new Set(
      [...text.matchAll(denials)].flatMap(({ index, 0: cue }) => {
        const rest = text.slice(index + cue.length, index + cue.length + 200).trimStart()
        return wordsIn(rest.split(detail, 1)[0] ?? '', files).slice(0, reach)
      }),
    ),
    files,
    places,
    solved: solving.test(text),
  }
}

/** Whether another statement includes everything in one about its topic. */
export function isPartOf(less: Matter, more: Matter): boolean {
  const { words, marks, files } = less
  if ([...words].some((word) => !more.words.has(word))) return false
  const names = [...marks].filter((mark) => words.has(mark)).length + files.length
  // A few words are enough if there are names among them, and the other statement begins with them.
  const isTold = [...words].every((word) => more.head.has(word))
  if (names === 0 ? words.size < 4 : words.size + names < (isTold ? 3 : 5)) return false
  if (less.solved !== more.solved) return false
  if (names === 0 && !isSameOrder(less, more, () => true)) return false
  if (!isSameOrder(less, more, (word) => marks.has(word) && !/^\d/.test(word))) return false
  if (!isSameOrder(less, more, (word) => ordered.test(word))) return false
  if ([...more.words].some((word) => !words.has(word) && aspects.test(word))) return false
  if ([...words].some((word) => less.denied.has(word) !== more.denied.has(word))) return false
  if (!files.every((file) => more.files.some((other) => `/${other}`.endsWith(`/${file}`)))) return false
  return !less.places.some((at) => {
    const file = at.slice(0, at.lastIndexOf(':') + 1)
    return !more.places.includes(at) && more.places.some((other) => other.startsWith(file))
  })
}

/** Words whose order matters in a topic: numbers, client and server. */
const ordered =
  /^(?:\d+(?:[.,]\d+)*%?|client|serv|source|target|read|writ|input|output|parent|child|local|remot|old|new|befor|after|user|admin|request|response|sender|receiver)$/

function isSameOrder(less: Matter, more: Matter, counts: (word: string) => boolean): boolean {
  const first = [...less.words].filter(counts)
  return [...more.words].filter((word) => first.includes(word)).join(' ') === first.join(' ')
}

/** Returns the words in order, without common ones; a path is one word, the name of its file. */
function wordsIn(text: string, files: readonly string[]): string[] {
  const named = text.split(/\s+/).map((word) => {
    const path = plainPath(word.replace(/^[`'"([]+|[`'")\],;:.!?]+$/g, ''))
    return files.includes(path) ? fileName(path) : word
  })
  return [...topicWords(named.join(' '))].filter((word) => !common.has(word))
}

function plainPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\.\//, '').toLowerCase()
}

function fileName(path: string): string {
  return plainPath(path).split('/').at(-1) ?? path
}
