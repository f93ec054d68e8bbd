import { cleanLine, cutHead } from '@tenfold/core/internal'
import type { PageData } from './browser/page-data.ts'

/** A session in an index of many. */
export interface IndexEntry {
  /** Address of its page, relative to the index. */
  readonly href: string
  /** Of the session. */
  readonly title: string
  /** The folder that the session worked in, shortened to its last two names. */
  readonly project: string
  /** The agent, by the name of its format. */
  readonly agent: string
  /** Milliseconds since 1970. */
  readonly started?: number
  /** Milliseconds since 1970. */
  readonly ended?: number
  /** Number of user messages. */
  readonly turns: number
  /** Size of the session. */
  readonly sourceTokens: number
  /** Size of the bundle as a share of the source tokens; absent without a bundle. */
  readonly ratio?: number
  /** What the session cost, by a table of prices. */
  readonly cost?: PageData['session']['cost']
  /** What the search covers beside the title: what the user asked, and the statements of the bundle. */
  readonly words: string
}

const maxWords = 6000

/** The entry of a page in an index. */
export function indexEntry({ session, events, bundle }: PageData, href: string): IndexEntry {
  const { cwd = '', started, ended, cost, format } = session
  const prompts = events.filter(({ type, replayed }) => type === 'user' && !replayed)
  const asked = prompts.map(({ text = '' }) => text)
  const stated = bundle?.sections.flatMap(({ statements }) => statements.map(({ text }) => text)) ?? []
  const words = [session.id, cwd, session.branch ?? '', ...asked.map((text) => text.slice(0, 600)), ...stated]
  return {
    href,
    title: session.title ?? session.id,
    project: cwd
      .split(/[\\/]/)
      .filter((name) => name !== '')
      .slice(-2)
      .join('/'),
    agent: format,
    ...(started !== undefined && { started }),
    ...(ended !== undefined && { ended }),
    turns: new Set(prompts.map(({ turn }) => turn)).size,
    sourceTokens: session.tokens.total,
    ...(bundle !== undefined && { ratio: bundle.ratio }),
    ...(cost !== undefined && { cost }),
    words: cutHead(cleanLine(words.join(' ')), maxWords),
  }
}
