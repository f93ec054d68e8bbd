import { escapeRegExp } from '../session/escape-reg-exp.ts'
import type { EventRange } from './query.ts'
import type { SearchEntry } from './search-entry.ts'

/** Which events are searched; an absent facet does not matter. */
export interface RecallFacets {
  /** Kinds of events, such as `tool_result`. */
  readonly kinds?: readonly SearchEntry['kind'][] | undefined
  /** Id of a subagent, or `main`. */
  readonly agent?: string | undefined
  /** Name of a tool, in any case: its calls and their results. */
  readonly tool?: string | undefined
  /** A file, its ending (`src/a.ts`), or a folder: events that name it, and the results of calls that do. */
  readonly path?: string | undefined
  /** Turns, inclusive. */
  readonly turns?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined
  /** Event ids such as `e17, e20-e30`. */
  readonly events?: string | undefined
}

export function facetFilter(
  facets: RecallFacets,
  ranges: readonly EventRange[] | undefined,
): (entry: SearchEntry) => boolean {
  const { kinds, agent, tool, path, turns } = facets
  const wantedTool = tool?.toLowerCase()
  const named = path === undefined ? undefined : pathPattern(path)
  return (entry) =>
    (kinds === undefined || kinds.includes(entry.kind)) &&
    (agent === undefined || entry.agent === agent) &&
    (wantedTool === undefined || entry.tool?.toLowerCase() === wantedTool) &&
    (turns === undefined || isBetween(entry.turn, turns)) &&
    (ranges === undefined || inRanges(entry, ranges)) &&
    (named === undefined || named.test(entry.text) || (entry.call !== undefined && named.test(entry.call)))
}

/** Whether at least one facet is given. */
export function hasFacets(facets: RecallFacets): boolean {
  return [facets.kinds, facets.agent, facets.tool, facets.path, facets.turns, facets.events].some(
    (facet) => facet !== undefined,
  )
}

function isBetween(turn: number | undefined, { from, to }: NonNullable<RecallFacets['turns']>): boolean {
  return turn !== undefined && (from === undefined || turn >= from) && (to === undefined || turn <= to)
}

function inRanges({ id }: SearchEntry, ranges: readonly EventRange[]): boolean {
  const at = Number(id.slice(1)) - 1
  return ranges.some(({ from, to }) => at >= from && at <= to)
}

/** Not inside a longer name, on either side. */
function pathPattern(path: string): RegExp {
  const plain = path.replace(/^\.\//, '').replace(/(?<=.)\/+$/, '')
  return new RegExp(`(?<![\\p{L}\\p{N}_.-])${escapeRegExp(plain)}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`, 'u')
}
