import { largePattern } from '../../session/large-pattern.ts'

/** Words before the verb of a request, and the request in the form of a question. */
const opening = largePattern(
  /^(?:[^\p{L}\p{N}]*(?:ok(?:ay)?|alright|yes|yeah|yep|yup|sure|no|nope|nah|so|and|but|now|then|also|just|please|pls|maybe|first|next|great|good|nice|cool|thanks?(?: you)?|perfect|awesome|wow|omf?g|right|hm+|oh|ah|well|btw|actually|let['’]?s|let us|let me|(?:can|could|would|will|should) (?:you|we|i)|i(?:['’]d| would) like(?: you)?(?: to)?|(?:i|we) (?:really |just |still )?(?:want|need|have to)(?: you)?(?: to)?|i think(?: that)?|(?:you|we) (?:should|must|have to|need to)|go ahead(?: and)?|try to|help me(?: to)?|quickly|again|still|bitte|kannst du|könntest du|mal|dann|jetzt)(?![\p{L}\p{N}])[,.!:]*\s*)*/iu,
)

/** An errand, which is done once and decides nothing: to look, check, run, continue, stop, or move work between branches. */
const errand = largePattern(
  /^(?:stop|wait|hold on|pause|cancel|abort|check|double[- ]?check|re-?check|look|see|search|find|grep|verify|confirm|research|investigate|explore|examine|inspect|debug|trace|figure|understand|explain|describe|clarify|elaborate|show|tell|print|list|open|read|re-?read|review|compare|summari[sz]e|recap|run|re-?run|test|re-?test|try|re-?try|start|restart|begin|continue|resume|proceed|go (?:on|ahead|through|back|over)|keep going|carry on|move on|get back|getting back|commit|push|pull|rebase|merge|fetch|sync|stash|stage|prepare|sketch|spec|outline|clean up|tidy|discuss|talk|think|brainstorm|propose|suggest|answer|reply|respond|ask|repeat|remember|finish|(?:do|implement|tackle|address|fix|handle|finish) (?:it|this|that|these|those|them|so|everything|another|the (?:next|rest|same))(?: now| then| please| too| again)*[.!]*$|get (?:it|this|that|them|everything) (?:committed|merged|pushed|reviewed|done)|(?:do|write|make|create|draft|prepare|generate|give|come up with)(?: me| us)? (?:an?|the|some) (?:new )?(?:\S+ ){0,2}(?:plan|overview|summary|list|report|issue|ticket|pr|pull request|branch|commit|proposal|analysis|diagram)s?|warte|stopp?|prüf|schau|such|finde|zeig|erklär|mach weiter|weiter|führ|starte)(?![\p{L}\p{N}-])/iu,
)

/** Matches the choice of one way: "run the tests with vitest instead of jest". */
const chooses =
  /\b(?:instead of|rather than|statt|anstatt|au lieu de|en lugar de|em vez de|invece di)\b|, not /i

/** A description of a state, an event or a feeling. */
const remark = largePattern(
  /^(?:\S+ (?=(?:that|this|it)['’]s))?(?:i|we|you|they|he|she|it|that|this|there|these|those|my|(?:the|your|our|a) (?:[\w-]+ ){1,5}?|[\w-]+(?= (?:is|are|was|were)\b)|[\w-]+ing (?:[\w-]+ ){1,5}?)(?:['’](?:s|m|re|ve)\b| ?(?:just |still |also |really |actually |now )?(?:is|are|am|was|were|have|has|had|works?|worked|does|do|did|doesn['’]?t|don['’]?t (?:see|think|know|understand|get|believe|remember|come|work)|didn['’]?t|can always|seems?|looks?|comes?|got|saw|see|switched|changed|tried|noticed|hope|reviewed|forgot|guess|wonder)\b)/iu,
)
/** Reports of a fault, also if they name another way. */
const reports =
  /^(?:i['’]?m using|you should(?: have)? known?\b|the (?:[\w-]+ )?(?:issue|problem|bug|error) (?:is|was)\b)/i
const demands =
  /\b(?:should|must|ought|needs? to|have to|has to|let['’]?s|wants?|prefer|would (?:rather|like|prefer)|going to be|instead|rather than|redundant|unnecessary|overkill|enough|not worth|decided|no need|don['’]?t need|out of scope|in scope|stick|keep|use)\b/i

/** Words that together only exclaim, praise or confirm: "omg, that's it!", "great job, looks good now". */
export const exclaims = largePattern(
  /^(?:\W*\b(?:a+h+|oh+|u+h+|hu+h|hm+|wo+w|lol|ha(?:ha)+|om(?:f?g)|interesting|nice|cool|great|awesome|amazing|perfect|good|better|love|that|this|it|there|we|you|i|go(?!\W+(?:for|with))|(?<=['’])s|is|are|looks?|works?|sounds?|now|again|all|much|so|very|really|job|work|send|thanks?)\b)+\W*$/iu,
)

/** Whether a sentence only describes or praises something, and so decides nothing. */
export function isRemark(sentence: string): boolean {
  const words = sentence.slice(0, 400)
  if (exclaims().test(words)) return true
  const plain = words.replace(opening(), '')
  return reports.test(words) || reports.test(plain) || (remark().test(plain) && !demands.test(words))
}

/** Whether a request is an errand, which is done once and decides nothing lasting. */
export function isErrand(request: string): boolean {
  const words = request.slice(0, 400)
  return errand().test(words.replace(opening(), '')) && !chooses.test(words)
}

/** A question about a state or a reason, not about a change. "How about" and "what if" suggest a change. */
export const wantsToKnow =
  /^(?:(?:and|but|so|ok(?:ay)?|hm+|wait),? )*(?:what|why|how|where|when|who|which|is|are|was|were|do|does|did|has|have|any)(?:['’]s|['’]re)? (?!about\b|if\b)[^\n]*[?？]$/i

/** Tells the agent only to continue, or to commit its work. */
export const onlyGoesOn =
  /^(?:(?:yes|yeah|yep|ok(?:ay)?|sure|please|let['’]?s|now|ja|oui|sí|sim|да)[,.!]?\s+)*(?:commit|push|continue|proceed|go on|go ahead|keep going|run|ship|merge|implement|(?:mach )?weiter|continuez?|continúa|sigue|continu[ae]|prosegui|avanti|продолжай(?:те)?)(?:\s+(?:it|them|this|that|all|everything|the changes|and (?:push|commit|merge)|bitte|please))*[.!]?$|^(?:请|請)?(?:继续|繼續|提交|推送)(?:吧|代码|代碼)?[。！]?$|^(?:続けて|コミットして)(?:ください)?[。]?$|^계속(?:해 ?줘|하세요)?[.]?$/iu

/** Suggests a way, also as a question. */
export const suggests =
  /\b(?:instead|rather|better|should(?:n't)?|why not|can we|could we|don't|need to)\b|吧|不用|不要|应该|應該|ほうが|besser|lieber|plutôt|mejor|melhor|лучше/i
