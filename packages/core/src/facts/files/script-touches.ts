import type { SimpleCommand } from '../../shell/shell-words.ts'
import { programName } from '../../shell/shell-wrappers.ts'
import type { Touch } from './touch.ts'

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

/** The files that a script of Python or Node writes, if they are literal in it: `open('a.py', 'w')`. */
export function scriptTouches({ words, heredocs }: SimpleCommand): Touch[] {
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
