import type { TrailEntry } from '../bundle/schema.ts'
import { isExit, isHarnessCommand } from '../facts/state/harness-commands.ts'

/**
 * Returns the last words of the user in a trail: the last message that asks for something, and the very last one if
 * that is thanks or the like. A command by which the user leaves is left out.
 */
export function lastWords(trail: readonly TrailEntry[]): TrailEntry[] {
  const words = trail.filter(
    ({ label, agent, text }) => label === 'user' && agent === 'main' && !isExit(text),
  )
  const last = words.at(-1)
  const asking = words.findLast(
    ({ text }) => !isHarnessCommand(text) && !smallTalk.test(text.slice(0, longest)),
  )
  if (asking === undefined || last === undefined || asking === last) return last === undefined ? [] : [last]
  return [asking, last]
}

const longest = 200

/** The common words of small talk: those of `turn-cues.ts` are more than a program that only renders briefs should load. */
const smallTalk =
  /^(?:(?:ok(?:ay)?|so|many|great|perfect|awesome|nice|cool|good|looks?|far|thanks?|thank you|thx|cheers|much|very|a lot|for (?:the|your) help|bye|goodbye|hello|hi|hey|there|merci|beaucoup|danke|gracias|muchas|obrigad[oa]|grazie|спасибо|谢谢|謝謝|ありがとう(?:ございます)?|감사합니다)(?=[\s,.!。！]|$)[\s,.!。！]*)+$/i
