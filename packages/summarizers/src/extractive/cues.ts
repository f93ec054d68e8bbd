/**
 * Words that mark what a sentence is, by language. Lower case; a cue counts if it occurs as a word, and anywhere in
 * scripts without spaces. English first: structure (questions, lists, tool outcomes) carries the other languages.
 */
export interface Cues {
  readonly finding: readonly string[]
  readonly risk: readonly string[]
  readonly blocked: readonly string[]
}

export const cues: Cues = {
  finding: [
    'root cause',
    'the problem is',
    'the issue is',
    'the bug is',
    'turns out',
    'found that',
    'i found',
    'confirmed',
    'this means',
    'the reason',
    'caused by',
    'because of',
    'already exists',
    'does not exist',
    "doesn't exist",
    'is missing',
    'key finding',
    'discovered',
    'it looks like',
    'apparently',
    'o problema',
    'a causa',
    'descobri',
    'encontrei',
    'el problema',
    'la causa',
    'encontré',
    'le problème',
    'la cause',
    'das problem',
    'die ursache',
    'gefunden',
    '问题是',
    '原因是',
    '发现',
    '根本原因',
    '原因',
    '問題は',
    '見つか',
  ],
  risk: [
    'risk',
    'caveat',
    'might break',
    'could break',
    'careful',
    'watch out',
    'edge case',
    'limitation',
    'backwards compat',
    'breaking change',
    'assumption',
    'trade-off',
    'tradeoff',
    'risco',
    'cuidado',
    'riesgo',
    'risque',
    'attention',
    'risiko',
    'achtung',
    'einschränkung',
    '风险',
    '注意',
    '限制',
    'リスク',
  ],
  blocked: [
    'blocked',
    'waiting for',
    'cannot proceed',
    "can't proceed",
    'need your',
    'permission denied',
    'bloqueado',
    'bloqueada',
    'esperando',
    'bloqué',
    'blockiert',
    '阻塞',
    '等待',
    '无法继续',
    'ブロック',
  ],
}

const wordCharacter = /[\p{L}\p{N}_]/u

/** Whether the text contains one of the cues as words. */
export function hasCue(text: string, list: readonly string[]): boolean {
  const lower = plain(text)
  return list.some((cue) => placeOf(cue, lower) !== -1)
}

/** Position of the first of the cues in the text, or -1. */
export function cueAt(text: string, list: readonly string[]): number {
  const lower = plain(text)
  const places = list.map((cue) => placeOf(cue, lower)).filter((at) => at !== -1)
  return places.length === 0 ? -1 : Math.min(...places)
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll('’', "'")
}

/** Where a cue first occurs, or -1 if that is not as a word. */
function placeOf(cue: string, lower: string): number {
  const at = lower.indexOf(cue)
  if (at === -1 || !/^[\u0000-\u02ff]+$/.test(cue)) return at
  const isPart = wordCharacter.test(lower[at - 1] ?? ' ') || wordCharacter.test(lower[at + cue.length] ?? ' ')
  return isPart ? -1 : at
}
