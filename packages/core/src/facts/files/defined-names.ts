import { editPairs, newText } from '../../tools/given-text.ts'
import { isDone, type ToolUse } from '../../tools/tool-uses.ts'
import type { PathNormalizer } from '../log-path.ts'
import { namedFiles, patchOf } from './file-touches.ts'

/** Longer text is generated: nobody looks for its names. */
const longest = 200_000

const code =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|kts?|scala|swift|cs|fs|cc|cpp|hpp|[chm]|dart|lua|exs?|erl|hs|ml|sh|sql|proto|graphql|vue|svelte|astro|ipynb)$/i

const modifiers =
  /(?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|open|override|async|unsafe|inline|suspend|virtual|data|declare|pub(?:\([a-z]+\))?)[ \t]+){0,5}/
const keyword =
  /(?:func(?:tion)?\*?|def[pm]?|defmodule|fn|fun|class|interface|struct|enum|trait|type|module|protocol|message|create table(?: if not exists)?)[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?/
const exported = /(?<=export[ \t]+)(?:const|let|var)[ \t]+/
const functionValue =
  /const[ \t]+(?=[\w$]{1,60}[ \t]*=[ \t]*(?:async[ \t]*)?(?:\(|function\b|[\w$]{1,60}[ \t]*=>))/
const name = /(?:self\.)?([A-Za-z_$][\w$]{2,60})/
/** A sentence that begins with such a word goes on with others. */
const after = /(?=[ \t]*(?:[({<:=[;]|$|(?:extends|implements|struct|interface|where|for|is|as|do)\b))/

const declared = new RegExp(
  `^[ \\t]*${modifiers.source}(?:${keyword.source}|${exported.source}|${functionValue.source})${name.source}${after.source}`,
  'gim',
)

/** A field of a record that is read from JSON or YAML: other work calls it by this name. */
const tagged = /^[ \t]+([A-Z]\w{2,60})[ \t]+[^\s`]{1,80}[ \t]+`\w+:"/gm

/**
 * The functions, types and the like that edits wrote or changed, by path, in the order of their first edit: those that
 * the text of an edit declares, also above the lines that it changed.
 */
export function definedNames(
  uses: readonly ToolUse[],
  normalize: PathNormalizer,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  const add = (file: string, text: string) => {
    const path = code.test(file) && text.length <= longest ? normalize(file) : undefined
    const names = path === undefined ? [] : declaredNames(text)
    if (path === undefined || names.length === 0) return
    const known = found.get(path) ?? new Set()
    for (const each of names) known.add(each)
    found.set(path, known)
  }
  for (const use of uses) {
    if (use.call.kind !== 'edit' || !isDone(use)) continue
    const { input } = use.call
    const patch = patchOf(input)
    if (patch !== undefined) {
      for (const [path, added] of patchedTexts(patch)) add(path, added)
      continue
    }
    const [file] = namedFiles(use)
    if (file === undefined) continue
    const pairs = editPairs(input)
    add(file, pairs.length === 0 ? newText(input) : pairs.map(({ after }) => after).join('\n'))
  }
  return new Map([...found].map(([path, names]) => [path, [...names]]))
}

function declaredNames(text: string): string[] {
  const places = [...text.matchAll(declared), ...text.matchAll(tagged)].map(({ index, 1: word = '' }) => ({
    index,
    word,
  }))
  return places.sort((a, b) => a.index - b.index).map(({ word }) => word)
}

/** The lines that a patch keeps or adds, by the path that it gives. */
function patchedTexts(patch: string): [path: string, text: string][] {
  return patch
    .split(/^\*\*\* (?=(?:Add|Update) File: )/m)
    .slice(1)
    .map((part) => {
      const [head = '', ...lines] = part.split('\n')
      const text = lines
        .filter((line) => /^[+ @]/.test(line))
        .map((line) => line.replace(/^(?:@@ ?|[+ ])/, ''))
      return [head.replace(/^\w+ File: /, '').trim(), text.join('\n')]
    })
}
