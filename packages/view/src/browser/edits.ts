import type { PageEvent } from './page-data.ts'

/** What an edit replaces, and by what. */
export interface Edit {
  readonly before: string
  readonly after: string
}

// The argument names of all agents' tools.
const oldKeys: readonly string[] = ['old_string', 'old_str', 'oldString', 'oldText', 'old_text']
const newKeys: readonly string[] = ['new_string', 'new_str', 'newString', 'newText', 'new_text']

/** The edits of a call, and the labels of the arguments that hold them. */
export function editsOf({ input = [] }: PageEvent): {
  readonly edits: readonly Edit[]
  readonly labels: readonly string[]
} {
  const labels = input.map(([label]) => label)
  const listed = input.find(([label]) => label === 'edits')
  const edits = listed === undefined ? [] : listedEdits(listed[1])
  if (edits.length > 0) return { edits, labels: ['edits'] }
  const edit = editOf(new Map(input))
  if (edit === undefined) return { edits: [], labels: [] }
  return {
    edits: [edit],
    labels: labels.filter((label) => oldKeys.includes(label) || newKeys.includes(label)),
  }
}

function editOf(fields: ReadonlyMap<string, unknown>): Edit | undefined {
  const [before, after] = [oldKeys, newKeys].map((keys) =>
    fields.get(keys.find((key) => fields.has(key)) ?? ''),
  )
  return typeof before === 'string' && typeof after === 'string' ? { before, after } : undefined
}

function listedEdits(text: string): Edit[] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch (error) {
    // The log holds something else under this name: it is shown unchanged.
    if (error instanceof SyntaxError) return []
    throw error
  }
  if (!Array.isArray(list)) return []
  const edits = list.map((edit: unknown) =>
    typeof edit === 'object' && edit !== null ? editOf(new Map(Object.entries(edit))) : undefined,
  )
  return edits.every((edit) => edit !== undefined) ? edits : []
}
