import { type ContextBundle, recall, recalledToText, type Session } from '@tenfold/core'
import { searchableLog } from '@tenfold/core/store'
import type { Score } from '@tenfold/measure'
import { seededRandom } from '../random.ts'
import { type Needle, type SyntheticSession, syntheticSession } from './synthetic-session.ts'

/** The result of a compressor for a log. */
export interface Compressed {
  readonly bundle: ContextBundle
  readonly session: Session
  readonly markdown: string
}

export interface NeedleReport {
  readonly sessions: number
  readonly byKind: ReadonlyMap<string, Score>
  /** Needles that the bundle holds, or one question to the log finds. */
  readonly recalled: ReadonlyMap<string, Score>
  readonly byPlace: ReadonlyMap<string, Score>
  /** Bundles that state something as valid although it was undone later. */
  readonly stale: Score
}

/**
 * Compresses synthetic sessions of 5 to 500 events and searches for what was planted. The same number gives the same
 * sessions.
 */
export async function runNeedles(
  sessions: number,
  compress: (log: Uint8Array, name: string) => Promise<Compressed>,
  onDone: (done: number) => void = () => {},
): Promise<NeedleReport> {
  const byKind = new Map<string, Score>()
  const byPlace = new Map<string, Score>()
  const recalled = new Map<string, Score>()
  let stale: Score = { kept: 0, of: 0, missed: [] }
  for (let seed = 1; seed <= sessions; seed++) {
    const events = Math.round(5 * 100 ** seededRandom(seed)())
    const session = syntheticSession(seed, events)
    const compressed = await compress(session.log, `needles-${seed}.jsonl`)
    const log = searchableLog(compressed.session)
    for (const needle of session.needles) {
      const kept = keepsNeedle(compressed.markdown, needle)
      const name = `seed ${seed} (${events} events), ${needle.place}, ${needle.by}: ${needle.sentence}`
      tally(byKind, needle.kind, kept, name)
      const found = kept || keepsNeedle(recalledToText(await recall(log, needle.query)), needle)
      tally(recalled, needle.kind, found, name)
      if (needle.kind !== 'rule') tally(byPlace, `${needle.place}, ${needle.by}`, kept, name)
    }
    for (const [name, wrong] of staleChecks(compressed, session))
      stale = added(stale, wrong === undefined, `seed ${seed}: ${name}: ${wrong ?? ''}`)
    onDone(seed)
  }
  return { sessions, byKind, byPlace, recalled, stale }
}

/** Whether one line has all parts of a needle; white space may differ. */
export function keepsNeedle(markdown: string, needle: Needle): boolean {
  return markdown.split('\n').some((line) => needle.parts.every((part) => line.includes(part)))
}

/** Each check, with what is wrong if something is. */
export function staleChecks(
  { bundle, markdown }: Omit<Compressed, 'session'>,
  { deletedFile, fixedError }: SyntheticSession,
): [name: string, wrong: string | undefined][] {
  const checks: [string, string | undefined][] = []
  if (deletedFile !== undefined) {
    const file = bundle.files.find(({ path }) => path.endsWith(deletedFile))
    checks.push([
      'deleted file in files',
      file === undefined || file.status === 'deleted' ? undefined : file.status,
    ])
    const stated = markdown
      .slice(0, Math.max(0, markdown.indexOf('\n## Trail')))
      .split('\n')
      .find(
        (line) =>
          line.includes(deletedFile) && /created|modified/.test(line) && !/deleted|removed|\brm\b/.test(line),
      )
    checks.push(['deleted file in statements', stated])
  }
  if (fixedError !== undefined) {
    const open = bundle.errors.find(
      (error) => error.message.includes(fixedError) && error.resolution === undefined,
    )
    checks.push(['fixed error is open', open?.message])
  }
  return checks
}

function tally(scores: Map<string, Score>, key: string, kept: boolean, name: string): void {
  scores.set(key, added(scores.get(key) ?? { kept: 0, of: 0, missed: [] }, kept, name))
}

function added(score: Score, kept: boolean, name: string): Score {
  return {
    kept: score.kept + (kept ? 1 : 0),
    of: score.of + 1,
    missed: kept ? score.missed : [...score.missed, name],
  }
}
