import { type CueFinder, cueFinder } from '@tenfold/core/internal/summarizer'

/** What sentences of users and agents say by their words. Structure (questions, lists, outcomes) carries most of it. */
export const cues: CueFinder<string> = cueFinder(String.raw`
finding:
  root cause|the problem is|the issue is|the bug is|turns out|found that|i found|confirmed|this means
  the reason|caused by|because of|already exists|does not exist|doesn't exist|is missing|key finding
  discovered|it looks like|apparently|o problema|a causa|descobri|encontrei|el problema|la causa|encontré
  le problème|la cause|das problem|die ursache|gefunden
  问题是|原因是|发现|根本原因|原因
  問題は|見つか
risk:
  risk|caveat|might break|could break|careful|watch out|edge case|limitation|backwards compat
  breaking change|assumption|trade-off|tradeoff|risco|cuidado|riesgo|risque|attention|risiko|achtung
  einschränkung
  风险|注意|限制
  リスク
# Says outright that one way was chosen.
chosen:
  let's (?:go with|use|keep)|i'll (?:go with|stick)|i'm going with|we(?:'ll| will) use|going with|went with
  (?:i|we)(?:'ve)? (?:chose|picked|decided)|decided with|opted (?:for|to)|settled on|stick(?:ing)? with|use option
  the (?:\w+ )?(?:fix|approach|solution) is to \w+|so i(?:'ll| will) (?:keep|leave|skip)
  fine as-is|separate change|the intent is|should be kept|keep .{3,120}(?:since|because)
  vamos usar|vou usar|decidi|optei por|melhor usar|vamos a usar|usaré|decidí|on va utiliser
  j'ai (?:choisi|décidé)|wir nehmen|ich (?:nehme|verwende)|entschieden|beschlossen|useremo|ho (?:scelto|deciso)
  решил|будем использовать
  采用|改用|換成|换成|採用|不要用
  我我決め|にします
  사용하겠습니다|선택했
tried: the (?:\w+ )?(?:fix|approach|solution) is to
because:
  because|weil|da sonst|porque|parce que|perché|потому что
  因为|因為|避免|以便
  ため
  때문
reason:
  because|since|so that|due to|reason:|as (?:it|they)|to (?:avoid|ensure|make sure|keep|prevent|meet)|so (?:they|it|we|only)
  which means|porque|pois|para evitar|ya que|parce que|car|afin de|pour éviter|weil|da|damit|um zu|perché|per evitare
  потому что|чтобы|так как
  因为|因為|由于|由於|以便|避免
  ため|ので
  때문
instead:
  instead(?: of)?|rather than|in place of|em vez de|en lugar de|en vez de|au lieu de|plutôt que|anstatt|statt|anstelle
  invece di|al posto di|вместо
  而不是|而非
  代わりに|ではなく
  대신
# "on the line, not the signature"
contrast: (?:use|want|do|with) [\w@./-]{1,40},? not|, (?:and |but )?not (?:just|the|on|in|at|by|as|from|with|per)
# The user takes one way and leaves others: what is used, what stays, what is left out or put off.
where start: (?:(?:ok(?:ay)?|yes|yep|so|and|but|nah?|just|please|for now)[,.]? )*
settles:
  {start}(?:let's|we(?:'ll| will)?|i(?:'d| would) (?:rather|prefer)(?: to)?) ?(?:keep|use|stick|go (?:with|for)|do \d|call (?:it|them)|name (?:it|them)|leave|skip|ignore|handle .* later|prefer)\b
  {start}(?:keep|stick (?:to|with)|use (?!cases?\b|.* to )|never|always|don't (?!worry|forget|see|know|think|understand|have)|do not)\b(?! (?:it|that|this|going|in mind|me)\b)
  for now,? (?:just |only )?(?:remove|keep|leave|skip|use|omit)\b
settles anywhere:
  out of scope|in scope|(?:doesn't|don't) need to change|no need (?:for|to)|not (?:necessary|needed)|(?<!(?:it|this|that|they) )(?:is|are|seems?) (?:also )?(?:unnecessary|redundant|overkill)
  (?:icons?|names?|files?|values?|they|it) must be|(?:handle|do) .{3,60} later|we do [\w-]+-first|let's .{3,60} first
# A question or belief that names the way.
suggests:
  instead of|rather than|we might want|how about|should(?:n't)? we (?:use|keep|make)|(?:can|could) (?:you|we) (?:ignore|skip|keep|leave|drop)
  (?:would|might|could) (?:also )?be (?:\w+ ){0,2}(?:good|great|better|wiser|cleaner|easier)|(?:can|could) (?:it|we) (?:just|keep|do it)
  i (?:would )?think (?:that )?(?:we (?:should|have)|(?:[\w-]+ ){1,6}(?:should|needs? to|must|(?:is|are) going to) be)
  吧[?？]?$|不用
  要不要|ほうが
# A question decides nothing, with or without its mark.
asks:
  (?:(?:ok(?:ay)?|so|and|but|hm+|now|also|please)[,.]? )*(?:(?:how|why|what|which|where|when|who)(?:'s)? (?!about|not|if|(?:i|we) (?:want|need|prefer|decided))|(?:is|are|was|were|does|did|has|have|can|could|would|will|isn't|aren't) (?:it|this|that|there|the|you|we|i|they)\b|i wonder)
corrects:
  (?:actually|não|nein|non|нет)[,.!:\s-]\s*\S.{12,}|(?:no|nope|nah|wait|oh wait|hmm no)\s?[,.!:–—-]\s*(?!that's|it's|thanks|i (?:see|got)|stop|just|why|what)\S.{12,}
  no (?:remove|keep|use|don't|do not|leave|revert|undo|put|make|i think)\b.{12,}|.*\bi meant\b|.{12,}, (?:and )?then (?:go ahead|commit|merge|ship)\b
  不對|不对|不是|等等|違う|违|아니
states:
  (?:please |and |so |also )*(?:use|keep|store|put|make|call|name|write|let's|we(?: will|'ll)? (?!(?:have|had|got|saw|can|need|are|were|did|do)\b)\w+|wir \w+|nous \w+|usamos|usiamo)\b
  .*[\u2e80-\uffdc]{6}
# An order, or speaks to somebody or of both.
orders: (?:please |just |and |then )?(?:use|keep|leave|skip|do)\b
addresses:
  i|i'd|i'm|we|us|our|you|your|let's|please|me
  [\u3040-\uffdc]{4}
# What holds for this moment, a matter to write about, or what the user does elsewhere.
of this moment:
  this time|today|tomorrow|right now|just now|(?:on|about|explain(?:s|ing)?|describ(?:es?|ing)) (?:how|what|why)|let me|i'll|i will
  ^(?:no[,.]? )?(?:remove|delete|undo|revert|kill|drop) (?:(?:that|this|it|those|these|them)(?: (?:line|again|now))*|the file)[.!]*$
  ^i(?: have to|(?:'ve)? got to| must| need to| should)\s+(?:leave|go|run|stop|sleep|head|catch|step)
# The agent takes a way. What it only looks at, runs or writes next has other verbs.
where way: (?: (?:going to|only|just|also|deliberately|intentionally|therefore))* (?:us|keep|kept|leav|left|convert|replac|renam|switch|drop|skip|stor|split|merg|simplif|put|default|extract|bundl|stick)\w*
takes: (?:i'll|i will|(?:i'm|i am)(?= going to)|i've|let me|let's|we'll|we will){way}|i (?:kept|left)
must be: should be|needs? to be|must be
# The agent's own tools, and the guidance it follows.
tools:
  (?:use|using|with|try|via|load|invoke) (?:the |a |an )?(?:(?:\x60?(?:read|edit|write|bash|grep|glob|task|search|todo\w*|fetch|shell|browser)\x60? )?tools?\b|grep|rg|sed|cat|awk|find|read|glob|bash|subagents?|agent|web ?search|\x60[^\x60\n]{1,60}\x60 command|[\x60\w:-]+ (?:skill|guidance|workflow)|skill)
  let's use .{2,40} to (?:see|find|look|check|search|locate|open|view|understand)
points back: (?:(?:but|and|so|now|then|actually),? )*(?:this|that|it|these|those)\b.{0,35}$
conditional:
  (?:if|whether|when(?:ever)?|unless|option|alternatively|should (?:you|we|i)|do you|would you|you (?:can|could|may|might)|we (?:could|might|can)|wenn|falls|si|se|если)\b
  如果|要是|もし
possible:
  if you(?:'d)? (?:want|like|prefer)|let me know|(?:could|might|would) (?:also|instead|be|want|need|have|require)|i(?:'d| would)|you(?:'d| would| can| could)
  如果|需要我
options: options?|alternatives?|approach(?:es)? considered|trade-?offs?|pros|cons|questions?|选项|方案|选择一
labels: decision|framework|language|library|database|runtime|决定|框架|语言|語言|数据库|entscheidung|sprache|decisión|decisão|décision
`)
