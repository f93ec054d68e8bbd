/**
 * Words that mark what a sentence is, separated by commas. Lower case; a cue counts if it occurs as a word, and anywhere
 * in scripts without spaces. English first: structure (questions, lists, tool outcomes) carries the other languages.
 */
const lists = {
  finding: `root cause, the problem is, the issue is, the bug is, turns out, found that, i found, confirmed, this means,
    the reason, caused by, because of, already exists, does not exist, doesn't exist, is missing, key finding,
    discovered, it looks like, apparently, o problema, a causa, descobri, encontrei, el problema, la causa, encontré,
    le problème, la cause, das problem, die ursache, gefunden, 问题是, 原因是, 发现, 根本原因, 原因, 問題は, 見つか`,
  risk: `risk, caveat, might break, could break, careful, watch out, edge case, limitation, backwards compat,
    breaking change, assumption, trade-off, tradeoff, risco, cuidado, riesgo, risque, attention, risiko, achtung,
    einschränkung, 风险, 注意, 限制, リスク`,
  /** Says outright that one way was chosen. */
  chosen: `let's go with, let's use, let's keep, i'll go with, i'll stick, i'm going with,
    we'll use, we will use, going with, went with, i chose, i picked, i decided, i've decided, we decided, decided with, opted for, opted to, settled on, stick with, sticking with, use option,
    fine as-is, separate change, separate commit, the intent is, vamos usar, vou usar, decidi, optei por, melhor usar, vamos a usar, usaré, decidí,
    on va utiliser, j'ai choisi, j'ai décidé, wir nehmen, ich nehme, ich verwende, entschieden, beschlossen, useremo,
    ho scelto, ho deciso, решил, будем использовать, 采用, 改用, 換成, 换成, 採用, 我我決め, にします,
    不要用, 사용하겠습니다, 선택했`,
  /** Says that it is intended. */
  deliberate: `intentional, intentionally, deliberate, deliberately, by design, on purpose, for the mvp, for mvp,
    as-is, only commit, absichtlich, intencional, intencionalmente, volontairement, намеренно, 故意, 有意, 暂时, 暫時,
    あえて, 의도적`,
  reason: `because, since, so that, due to, reason:, as it, as they, to avoid, to ensure, to make sure, to keep,
    to prevent, to meet, so they, which means, so it, so we, porque, pois, para evitar, ya que, parce que, car,
    afin de, pour éviter, weil, da, damit, um zu, perché, per evitare, потому что, чтобы, так как, 因为, 因為, 由于,
    由於, 以便, 避免, ため, ので, 때문`,
  instead: `instead of, rather than, instead, in place of, em vez de, en lugar de, en vez de, au lieu de, plutôt que,
    anstatt, statt, anstelle, invece di, al posto di, вместо, 而不是, 而非, 代わりに, ではなく, 대신`,
} as const

/** What a cue of {@link findCues} marks a sentence as. */
export type CueName = keyof typeof lists

const wordCharacter = /[\p{L}\p{N}_]/u
const notWord = /[^\p{L}\p{N}_]+/u

/** The same for {@link fewScripts}: it takes a tenth of the time to compile and to run. */
const notLatinWord =
  /[^\w\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe\xc0-\xd6\xd8-\xf6\xf8-\u02c1\u02c6-\u02d1\u02e0-\u02e4\u02ec\u02ee]+/

/** Latin letters without combining marks, and blocks of punctuation, arrows, lines and signs without a letter. */
const fewScripts = /^[\u0000-\u02ff\u2010-\u206f\u2190-\u245f\u2500-\u2775\u2794-\u2bff]*$/

/** The lists that have a cue in a text, with the place of the first. */
export type FoundCues<Name> = ReadonlyMap<Name, number>

/** Returns a function that finds the cues of many lists in a text, in one pass over its words. */
export function cueFinder<Name extends string>(
  lists: Readonly<Record<Name, string>>,
): (text: string) => FoundCues<Name> {
  const cues = (Object.keys(lists) as Name[]).flatMap((name) =>
    lists[name].split(/,\s+/).map((cue) => ({ name, cue })),
  )
  const anywhere = cues.filter(({ cue }) => !isSpaced(cue))
  const byWord = new Map<string, typeof cues>()
  for (const each of cues.filter(({ cue }) => isSpaced(cue))) {
    const [word = ''] = wordsOf(each.cue)
    byWord.set(word, [...(byWord.get(word) ?? []), each])
  }
  return (text) => {
    const found = new Map<Name, number>()
    const lower = text.toLowerCase().replaceAll('’', "'")
    const find = (name: Name, cue: string) => {
      const at = placeOf(cue, lower)
      if (at !== -1) found.set(name, Math.min(at, found.get(name) ?? at))
    }
    const isLatin = isSpaced(lower)
    // A letter beyond U+FFFF does not belong to the word next to it.
    const words = isLatin ? lower : lower.replace(/[\ud800-\udfff]/g, ' ')
    for (const word of wordsOf(words)) for (const { name, cue } of byWord.get(word) ?? []) find(name, cue)
    if (!isLatin) for (const { name, cue } of anywhere) find(name, cue)
    return found
  }
}

/** Which of {@link lists} a text has. */
export const findCues = cueFinder(lists)

/** The runs of letters and digits of a text; empty strings too. */
export function wordsOf(text: string): string[] {
  return text.split(fewScripts.test(text) ? notLatinWord : notWord)
}

/** True for scripts with spaces between words. */
function isSpaced(text: string): boolean {
  return /^[\u0000-\u02ff]*$/.test(text)
}

/** Where a cue first occurs, or -1 if that is not as a word. */
function placeOf(cue: string, lower: string): number {
  const at = lower.indexOf(cue)
  if (at === -1 || !isSpaced(cue)) return at
  const isPart = wordCharacter.test(lower[at - 1] ?? ' ') || wordCharacter.test(lower[at + cue.length] ?? ' ')
  return isPart ? -1 : at
}
