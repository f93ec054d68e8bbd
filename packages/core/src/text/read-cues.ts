import { largePattern } from '../session/large-pattern.ts'
import { lowerCase } from './lower-case.ts'

/**
 * Reads cues from a text, so that people who know a language or a program but no code can edit them: `heading:
 * pattern`, or a heading with indented patterns below it. `{name}` is the section `where name`, and `#` begins a
 * comment.
 */
export function readCues(text: string) {
  const sections: { readonly heading: string; readonly patterns: string[] }[] = []
  const parts = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, heading, first = ''] = /^(\w[^:]*):(?: (.*))?$/.exec(line) ?? []
    const pattern = (heading === undefined ? line.slice(2) : first).replace(
      /\{(\w+)\}/g,
      (all, name) => parts.get(name) ?? all,
    )
    if (heading?.startsWith('where ')) parts.set(heading.slice('where '.length), pattern)
    else if (heading !== undefined) sections.push({ heading, patterns: pattern === '' ? [] : [pattern] })
    else if (line.startsWith('  ')) sections.at(-1)?.patterns.push(pattern)
  }
  return sections
}

/** Finds the cues of a text in sentences, ignoring case and kinds of apostrophes. */
export interface CueFinder<Name extends string> {
  /** Returns the position of the first cue under a heading, as whole words if its script has spaces; -1 if there is none. */
  at(name: Name, sentence: string): number
  holds(name: Name, sentence: string): boolean
  /** Whether the sentence begins with a cue. */
  begins(name: Name, sentence: string): boolean
  /** Whether the whole sentence is a cue. */
  is(name: Name, sentence: string): boolean
}

/** Makes a finder from a text of cues with lower-case patterns; patterns of a script without spaces are on separate lines. */
export function cueFinder<Name extends string>(text: string): CueFinder<Name> {
  const sections = readCues(text)
  const compiled = new Map<string, () => RegExp>()
  const pattern = (name: Name, way: keyof typeof ways): RegExp => {
    const key = `${way} ${name}`
    const cues = () => ways[way](sections.find(({ heading }) => heading === name)?.patterns ?? [])
    const made = compiled.get(key) ?? largePattern(cues, 'u')
    compiled.set(key, made)
    return made()
  }
  return {
    at: (name, sentence) => plain(sentence).search(pattern(name, 'within')),
    holds: (name, sentence) => pattern(name, 'within').test(plain(sentence)),
    begins: (name, sentence) => pattern(name, 'first').test(plain(sentence)),
    is: (name, sentence) => pattern(name, 'whole').test(plain(sentence)),
  }
}

const ways = {
  within: (lines: readonly string[]) => {
    const unspaced = lines.filter((line) => /[\u3040-\u9fff\uac00-\ud7af]/.test(line))
    const words = `(?<![\\p{L}\\p{N}_])(?:${lines.join('|')})(?![\\p{L}\\p{N}_])`
    return unspaced.length === 0 ? words : `${words}|${unspaced.join('|')}`
  },
  first: (lines: readonly string[]) => `^(?:${lines.join('|')})`,
  whole: (lines: readonly string[]) => `^(?:${lines.join('|')})$`,
}

/** The last sentence, since all cues of a text are searched in one sentence after the other. */
let last = { sentence: '', plain: '' }

function plain(sentence: string): string {
  if (last.sentence !== sentence) last = { sentence, plain: lowerCase(sentence.replaceAll('’', "'")) }
  return last.plain
}
