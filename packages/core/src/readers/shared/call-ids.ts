import { asText } from '../../session/json-values.ts'

/**
 * Gives each tool call of a log a unique id: the reported one, numbered if it was used before, or otherwise its place.
 */
export function createCallIds(): (reported: unknown, place: string) => string {
  const given = new Set<string>()
  const uses = new Map<string, number>()
  return (reported, place) => {
    const wanted = asText(reported) ?? place
    let times = uses.get(wanted) ?? 0
    let id: string
    do {
      times++
      id = times === 1 ? wanted : `${wanted}#${times}`
    } while (given.has(id))
    uses.set(wanted, times)
    given.add(id)
    return id
  }
}
