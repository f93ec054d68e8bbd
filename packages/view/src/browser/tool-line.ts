import { numberOf, oneLine } from './format.ts'
import type { PageEvent } from './page-data.ts'

const telling = [
  'file_path',
  'notebook_path',
  'pattern',
  'query',
  'command',
  'cmd',
  'path',
  'url',
  'description',
  'skill',
  'prompt',
  'name',
]

/** The subject of a call, on one line: its file, command or pattern. */
export function toolTarget(event: PageEvent, cwd: string | undefined): string {
  const input = event.input ?? []
  const [[label, raw] = ['', '']] = input
  if (input.length === 1 && label === '') return patchTarget(raw, cwd) ?? oneLine(raw)
  const values = new Map(input)
  for (const name of telling) {
    const value = values.get(name)
    if (value === undefined || value.trim() === '') continue
    if (name !== 'pattern' && name !== 'query')
      return oneLine(name.includes('path') ? relative(value, cwd) : command(value))
    const place = values.get('path')
    return place === undefined
      ? oneLine(value)
      : `${oneLine(value, 120)}  in  ${relative(oneLine(place), cwd)}`
  }
  const [, patch] = input.find(([, value]) => value.startsWith('*** Begin Patch')) ?? []
  if (patch !== undefined) return patchTarget(patch, cwd) ?? ''
  return oneLine(input.map(([key, value]) => `${key}: ${listSize(value) ?? oneLine(value, 80)}`).join('  '))
}

/** Shortens `["bash","-lc","npm test"]` to the command in it. */
function command(value: string): string {
  return (
    listOf(value)
      ?.filter((part) => part !== 'bash' && part !== '-lc')
      .join(' ') ?? value
  )
}

function listSize(value: string): string | undefined {
  const size = listOf(value)?.length
  return size === undefined ? undefined : numberOf(size, 'item')
}

function listOf(value: string): unknown[] | undefined {
  if (!value.startsWith('[')) return undefined
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) ? list : undefined
  } catch (error) {
    // Not JSON after all: it is shown unchanged.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function patchTarget(patch: string, cwd: string | undefined): string | undefined {
  const files = [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(
    ([, path = '']) => path,
  )
  const [first] = files
  if (first === undefined) return undefined
  const more = files.length > 1 ? `  and ${files.length - 1} more` : ''
  return `${relative(oneLine(first), cwd)}${more}`
}

/** A path relative to the folder of the session. */
function relative(path: string, cwd: string | undefined): string {
  const base = cwd === undefined ? '' : `${cwd.replace(/[\\/]+$/, '')}/`
  return base.length > 1 && path.startsWith(base) ? path.slice(base.length) : path
}
