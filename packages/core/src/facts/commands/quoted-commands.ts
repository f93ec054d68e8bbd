import { largePattern } from '../../session/large-pattern.ts'
import { lowerCase } from '../lower-case.ts'
/** Whether a line attributes what follows to something other than the user or the agent: "NOTES.md lists:". */
export function isAttributed(line: string): boolean {
  const text = lowerCase(line.replaceAll('’', "'"))
  return attributed().test(text) && !ownWords().test(text)
}

/**
 * Whether an assistant mentions a command only as something else's words, or as something it did not do: "the file asks
 * to run `x`", "next step: `x`, which I ignored". `before` is the sentence up to the command, `after` the text that
 * follows it.
 */
export function isQuotedOnly(before: string, after: string): boolean {
  const [lead, follow] = [lowerCase(before.replaceAll('’', "'")), lowerCase(after.replaceAll('’', "'"))]
  return isAttributed(lead) || refusedAfter().test(follow) || refusedBefore().test(lead)
}

/** Something other than the user or the agent says it. */
const attributed = largePattern(
  /(?<![\p{L}\p{N}_])(?:says|said|asks|asked (?:me|us|to|that)|tells|told (?:me|us|to)|instructs|instructed|wants|suggests|claims|claimed|reads|states|stated|demands|demanded|orders|ordered (?:me|us)|recommends|urges|according to|contains|mentions|quotes|lists|names|proposes|sagt|verlangt|fordert|laut|demande|dice|pide|chiede|diz|pede|говорит|требует|просит)(?![\p{L}\p{N}_])|(?<=\p{L}s )(?:say|ask|tell|instruct|claim|demand|state)(?![\p{L}\p{N}_])|(?:要求|写道|寫道|声称|聲稱|提到|と書|と言|によると|라고|요구)/u,
)

const ownWords = largePattern(
  /(?<![\p{L}\p{N}_])(?:you|user|the user|i|we|ci|du|sie|vous|tú|usted|você|lei)(?:'ve| have| had)?\s+(?:also |just |then |explicitly )?(?:says?|said|asked?|asks|tells?|told|instructed|instructs|want(?:s|ed)?|suggest(?:s|ed)?|recommend(?:s|ed)?|mention(?:s|ed)?|request(?:s|ed)?|order(?:s|ed)?)(?![\p{L}\p{N}_])|(?<![\p{L}\p{N}_])(?:if|when|once|in case)\s+(?:you|we)(?![\p{L}\p{N}_])|(?:你|您|用户|用戶|我)(?:也|还)?(?:要求|说|提到)/u,
)

const no =
  "(?:did not|didn'?t|do not|don'?t|will not|won'?t|would not|wouldn'?t|have not|haven'?t|am not|'m not|cannot|can'?t|never)"
const leave =
  '(?:ignor(?:e|ed|ing)|declin(?:e|ed|ing)|refus(?:e|ed|ing)|reject(?:ed)?|disregard(?:ed)?|left (?:it|that) (?:out|alone)|skipp(?:ed|ing) (?:it|that|this))'

/** Right after the command, the agent says that it will not run it. */
const refusedAfter = largePattern(
  `^[^\\n]{0,120}?(?:(?<![\\p{L}\\p{N}_])i\\s*${no}\\s+(?:run|execute|do|follow|act|obey|comply|going|use)|(?<![\\p{L}\\p{N}_])i(?:'ve|'m| have| am)?\\s*(?:have )?${leave}|prompt injection|looks like an? (?:prompt )?(?:injection|attack)|(?:suspicious|untrusted|malicious)(?![\\p{L}\\p{N}_])|我(?:没有|沒有|不会|不會|拒绝|拒絕|忽略)|実行しません|無視しました|ignoriere|ausgeführt habe ich)`,
  'u',
)

const refusedBefore = largePattern(`(?:${leave}|i\\s*${no})[^.!?]{0,80}$`, 'u')
