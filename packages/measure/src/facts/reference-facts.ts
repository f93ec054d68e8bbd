/**
 * Facts that a text about a session should still contain. Terms are lower-cased; a group is one sentence, message or
 * line.
 */
export interface ReferenceFacts {
  readonly editedFiles: readonly string[]
  /** Program and subcommand: `npm test`. */
  readonly lastCommands: readonly string[]
  readonly userTerms: readonly (readonly string[])[]
  readonly constraintTerms: readonly (readonly string[])[]
  readonly userIds: readonly string[]
  readonly errorTerms: readonly (readonly string[])[]
  /** Known before and used after the end of the log; empty if nothing follows the log. */
  readonly laterPaths: readonly string[]
  readonly laterSymbols: readonly string[]
}

/** Reads the `facts` of an entry of `index.json`. Throws TypeError that names the faulty field. */
export function parseReferenceFacts(value: unknown): ReferenceFacts {
  return {
    editedFiles: strings(value, 'edited_files'),
    lastCommands: strings(value, 'last_commands'),
    userTerms: groups(value, 'user_terms'),
    constraintTerms: groups(value, 'constraint_terms'),
    userIds: strings(value, 'user_ids'),
    errorTerms: groups(value, 'error_terms'),
    laterPaths: strings(value, 'used_later_paths'),
    laterSymbols: strings(value, 'used_later_symbols'),
  }
}

function strings(value: unknown, name: string): string[] {
  return list(value, name).map((item) => stringOf(item, name))
}

function groups(value: unknown, name: string): string[][] {
  return list(value, name).map((group) => {
    if (!Array.isArray(group)) throw new TypeError(`facts.${name}: expected lists of strings`)
    return group.map((item) => stringOf(item, name).toLowerCase())
  })
}

function list(value: unknown, name: string): unknown[] {
  const field: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  if (field === undefined) return []
  if (!Array.isArray(field)) throw new TypeError(`facts.${name}: expected a list, got ${typeof field}`)
  return field
}

function stringOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new TypeError(`facts.${name}: expected strings, got ${typeof value}`)
  return value
}
