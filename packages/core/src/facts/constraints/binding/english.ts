export const english = String.raw`
# Words after "don't" in remarks, not in orders.
where remark: (?:think|know|see|understand|remember|recall|care|mind|worry|get|believe|feel|have|need|want|like|bother|forget|panic|hesitate|rush|apologi[sz]e|give up|stop|sweat|we|you|i|they|it|even know|really (?:know|think|understand|see|get|care|want|like|need)|yet worry|do (?:that|this|it)\b(?! again|\s+(?:when|if|in|for|with)))\b
# Verbs of a single step.
where task: (?:add|use|run|do|make|write|change|edit|modify|touch|work|fix|commit|read|create|update|implement|test|return|show(?! me)|build|deploy|install|put|import|call|allow|accept|support|store|save|log|render|expose|wrap|display|apply|send|refactor|rewrite|rename|move|remove|delete|replace|convert|generate|set|configure|enable|populate|review|check|answer|reply|format|load|copy|push|release|upgrade|solve|resolve|handle|respond|improve|optimi[sz]e|migrate|port|extend)
# Verbs whose object is only mentioned, asked about or looked at.
where telling: (?:add|clarify|state|mention|say|explain|describe|document|check|verify|confirm|review|look|read|find|tell|show|give|make|create|write|update|fix|change|remove|delete|rename|move|implement|run|investigate|debug|analy[sz]e|compare|summari[sz]e|list|print|try|use|set|put|get|let|help|do|go|think|consider|propose|suggest|replace|refactor|reply|respond|answer|ask|wait|skip|ignore|include|extract|split|combine|assume|imagine|require|apply|address|resolve|identify|generate|provide|note|see|search|scan|test|build|guess|wonder)
where subject: (?!(?:i|we|you|he|she|don't|dont|do not|doesn't|not|never|none|makes|what|why|how|when|where|who|which|if|whether|unless|until|while|maybe|perhaps|not sure|there|{telling} (?:that|whether|if|how|why|what|the|an?|all|any|my|your|our|this|these|those|it|them|to|for|some|where|when|\S*[\x60"“]))\b)
where past: have (?:been|\w+ed|gone|done|had|worked|written|seen|got|gotten|come|become|made|taken|thought|known)\b
where believed: (?:now|already|still|probably|work|mean|help|suffice|fail|be (?:fixed|better|fine|good|ok|okay|ready|done|there|enough|in there|gone|correct|able|all|working|possible|straight-?forward|easy enough|simple enough|clear))
where once: be (?:updated|fixed|changed|merged|rebased|renamed|removed|added|done|addressed|moved|reviewed|refactored|implemented|pushed|installed|deleted|resolved|reverted|investigated|discussed (?:now|first))\b(?! (?:before|after|when|if|only|every|each))
where guess: be (?:because|some|missing|wrong|due|related|something|an? (?:\w+ ){0,3}(?:bug|mistake|typo|issue|error|problem|coincidence|misunderstanding|thing|reason|way|glitch)|nice|great|hard|kidding|joking|the (?:reason|cause|problem))\b
# What a project has rules for.
where artefact: (?:(?:commit|log|error|branch|file|test|class|pull request|pr|issue|change-?log|line|env(?:ironment)?) )?(?:docs?|documentation|readmes?|comments?|messages?|commits?|branch(?:es)?|pull requests?|prs?|titles?|entries|names?|tests?|specs?|fixtures|functions?|methods|components?|classes|hooks|types|interfaces|variables?|vars|constants|files?|modules|imports|exports|endpoints?|routes|urls|apis?|migrations?|queries|columns|tables|dates|times(?:tamps)?|prices|amounts|money|ids|strings|texts|labels|logs|configs?|secrets|dependencies|versions?|releases|tags|indentation|length|quotes|styles|css|colou?rs|code|identifiers|scripts)
# Objects of "make sure" that concern one step.
where doneOnce: (?: that)? (?:to (?!commit)|you |you've |everything |all |it |this |that )(?:\w+ ){0,3}(?:commit|push|pull|save|check|double|read|look|committed|pushed|merged|saved)\b
where changes: (?:changes?|edits?|diffs?|work|amount|modifications?|footprint|patch|impact|dependencies|additions)
where lacking: (?:problems?|issues?|errors?|results?|changes?|differences?|questions?|news|match(?:es)?|(?:no|some|any)?thing|logs?|warnings?|wait|need|idea|way|thanks?|thank|rush|luck|one|clue|good|go|dice|effect|output|response|reply|sign|reasons?|biggie|worries|longer|matter|wonder|doubt|comment|answer|time|hurry|pressure|offense|surprises?|trace|hits?|such|than|sense|it|its|that|this|i|us|we|you|not|sir|sorry|please|big|just|as|of|is|was|does|yes|exists?|appears|happens|remains|shows|works|fails)
where adverb: (?: (?:\w+ly|also|just|still|only|either|much|kinda|kind of|sorta))
# What one turn is to bring.
where errand: (?:to (?!avoid|keep|be able|be\b(?! (?:sure|clear|honest))|use|make sure|ensure|stay|stick|limit|preserve|allow|put|solve|not\b)|you to (?!only|always|never|not|use)|your?\b|me\b|that\b|this\b|it[.!]?$|(?:an?|the|some|more|another|your)? ?(?:\w+ ){0,2}(?:analysis|review|plan|summary|list|report|explanation|overview|look|pr|commit|branch|table|diagram|answer|opinion|example|link|update)s?\b)
common:
  the a an and or to of in is it this that for on with not no do don't dont can you we i be are as at by
  from have if so but use should must all only please never always my your our make sure keep what when just
breaks:
  [,;:!]\s+|\s+[-–—>]+\s+|\.{2,}\s*|…\s*|\s*[()]\s*|\*\*
  \s+(?=(?:but|and|because|since|so|though|although|then)\s)
fillers:
  please|pls|plz|also|ok(?:ay)?|alright|and|but|or|so(?: that)?|then|just|well|btw|by the way|h+m+|oh|yeah
  yes|yep|yup|sure|actually|again|now|finally|lastly|first(?:ly)?|otherwise|additionally|instead,|no,
  note(?: that)?|(?:very )?important(?:ly)?|remember that|this means(?: that)?
  (?:i|we) (?:really |just |still |also |kinda |kind of |strongly )*(?:think|know|guess|believe|feel|suppose|say|said|told you|agree)(?: like| that)?
  in (?:general|addition|particular|my opinion)|imh?o|because|since|ideally|however|though|although|still
  therefore|generally|personally|one more thing|that|as a reminder|whatever you do|try to|if possible
polite: (?:can|could|would|will) (?:you|we)(?: please| also| just| maybe| then| always| at least)* (?=(?:not|never|only|always|keep|make (?:very )?sure|ensure|avoid|stick|follow|leave|preserve|use .{1,80} (?:instead of|rather than|not)|be (?:sure|careful))\b)
steps:
  \**(?:{telling}|commit|wire|push|install|convert|generate|configure|enable|integrate|support) (?:the|an?|all|any|with|from|to|for|unit|integration|tests?|new|\W)
question sentence: [?？][\s"'”’)\]*_]*$
question head:
  (?:why|how come|how|where|who|what(?! (?:i|we) (?:want|need|prefer|expect|said|meant|mean|asked))|which(?! means))\b
  (?:do|have) (?:you|we|i|they|these|those|any|someone)\b
  (?:can|could|would|will|does|did|is|are|was|were|should|shall|has|am|isn't|aren't|doesn't|didn't|can't|couldn't|wouldn't|shouldn't) (?:you|we|i|it|they|there|the|this|that|these|those|he|she|any|someone)\b
musing sentence weak:
  \b(?:maybe|perhaps|might|i wonder|wondering|not sure|i guess|probably|what if|i don't know|dunno|i(?: still)? feel|i suppose|i doubt|or should|hypothetically|in theory|imh?o|genuine question)\b
  \b(?:it's|it is|that's|is|are) (?:also |totally |perfectly )?(?:fine|ok|okay|acceptable)\b
  \b(?:feel free|up to you|your call)\b
  \bi think[.!]*$
# What is so today, as the reason for a task: "Currently, they must go back to the home page."
report sentence: ^(?:currently|at the moment|as of now|today)\b(?!.*\b(?:until|but)\b)
report sentence weak:
  \bbut\b(?!.{0,30}\b(?:we|you) (?:also |really )?(?:can't|cannot)).{0,60}\b(?:is|are|was|were|shows?|showed|gets?|got|returns?|returned|does|did|doesn't|didn't|still|isn't|aren't|wasn't|gives?|gave|stays?|remains?|goes|went|fails?|failed|can't|cannot|nothing)\b
  \b(?:instead it|currently|at the moment|right now|as of now|these days|expected (?:it|to|that|the)|(?<!not )supposed to|used to|turns out|apparently|it (?:seems|looks|appears)|seems like|looks like|i (?:noticed|see|saw|get|got|tried|ran|found))\b
  \bstill (?:not|doesn't|isn't|shows?|fails?|gets?|get|broken|wrong|seeing|leaking)\b
  \b(?:the )?(?:issue|problem|bug|reason|error|cause|root cause) (?:is|was|seems|here)\b
narrative sentence weak:
  ^(?:and |so |ok(?:ay)?,? )*then (?:i|we) (?:want|need|would like)\b
  ^(?:i (?:still )?(?:don't|do not|didn't|can't|cannot|couldn't|never|have to|need to|had to|was|am|have|must)\b|i'm\b|i've\b|i'll\b|my bad|sorry)(?!.*\b(?:want|prefer|rather)\b)
prohibition head:
  (?:do not|don't|dont)(?: ever| please| just| also| simply)* (?!{remark})\w
  never(?: ever)? (?!\w+ed\b|mind|saw|seen|got|had|been|was|happens?|works?|thought|knew|(?:\w+[^s\W]s)\b)\w
  (?:avoid|refrain from) \w
  not (?:to )?(?:touch|change|modify|edit|commit|push|use|add|break|delete|remove|rename|create|install)\b
  (?:under no circumstances|by no means|at no (?:point|time)|in no case)\b
  stop (?!here|there|now|it|being)\w+ing\b
  (?:i|we) (?:also |really |explicitly |definitely |specifically |still |just |certainly )*(?:don't|dont|do not|never) (?:really |ever |actually )?(?:want|like)\b(?! (?:to (?:bother|be rude|sound|interrupt)|it[.!]*$))
  (?:i|we) have (?:absolutely |really )?(?:no|zero) (?:desire|intention|interest|wish|plans?) (?:to|in|of|for)\b
  (?:we|you) (?:really |definitely |absolutely )*(?:aren't|are not) supposed to\b
  (?:you're|we're) not (?:allowed|permitted|supposed|to)\b
  (?:we|you) (?:really |definitely |absolutely )*(?:must not|mustn't|shall not|may not|should not|shouldn't|should never|must never|are not (?:allowed|permitted|to)|aren't allowed|can never)\b
  let'?s (?:please |also |just |really )*(?:not|never|avoid)\b(?! (?:worry|forget|get ahead|panic))
  (?:there's|there is|i see|we see|it's|it is) (?:really |absolutely )?no (?:point|sense|value|use|reason|need) (?:in |of |to |for )?(?!me\b|to\b|this\b|that\b|it\b)\w
  (?:(?:you )?(?:don't|do not|dont) (?:have|need)|(?:there's |there is )?no need) to (?!check|worry|ask|explain|tell|answer|apologi|reply|respond|wait|read|know|do (?:this|that|it)|be\b|see)\w
prohibition lead weak:
  no (?:(?:more|new|extra|additional|other|further|external|third[- ]party|hard-?coded|unnecessary|breaking) )*(?!{lacking}\b)[\w.+#-]{2,30}(?: (?!(?:issues?|errors?|problems?|changes?|warnings?|results?|output|effect|luck|exists?|\w+ed|there|here|found|left)\b)[\w.+#-]{2,30})?(?: please)?(?:[.!]*$| (?:in|on|at|to|for|with|from|unless|without|allowed|ever|outside|until)\b(?!.*\b(?:is|are|was|were|since|yet|now|today|so far)\b))
  (?:[\w.+#/&-]+ ){1,4}only$
prohibition clause weak: (?:is|are|be) (?:strictly |explicitly |absolutely )?(?:forbidden|prohibited|off[- ]limits|not (?:allowed|permitted|acceptable|an option)|unacceptable|disallowed|non-negotiable)\b(?!.*\b(?:error|message|response|exception)\b)
necessity head:
  {subject}(?:(?!(?:where|how|what|whether|why|if|when)\b)\S+ ){1,12}?(?<!\b(?:that|which|who|i|we|you|it|there|this) )(?:must(?:n't)?|shall) (?!{past}|{guess})\w
  (?:it|this|they|that) (?:must(?:n't)?|shall) (?!{past}|{guess}|be (?:that|the))\w
  must (?:be|have|not|only|always|never|use|support|work|run|pass|keep|stay|fit)\b(?! (?:been|a bug|something))
  you(?: also| still| all)? (?:must(?!n't|\s+have)|shall|have to (?:use|keep|make sure|ensure|always|only)|are (?:required|only) to|are expected to|may only|can only|are only allowed)\b
  you should (?!know|see|have|be able|get|find|notice|check|look|read|now|already|probably|try|ask|see|consider|go|also see|be (?:seeing|fine|good)|just (?:run|see|do)|do (?:that|this|it)\b)\w
  (?:you|we) (?:only )?own\b
  (?:we|you)(?: also| really| simply)* (?:can't|cannot|can not) (?:break|change|use|add|touch|rely on|drop|remove|lose|ship|expose|depend on|modify|afford)\b(?! (?:it|this|that)[.!]*$)
  we must (?!have\b)\w
  {subject}(?:(?!(?:where|how|what|whether|why|if|when)\b)\S+ ){1,12}?(?<!\b(?:that|which|who|i|we|you|there|only) )(?:has|have) to (?:be|have|use|stay|remain|follow|support|match|pass|run|include|work|come|fit|go through|return|respect|keep|contain)\b(?! (?:updated|fixed|changed|merged|rebased))
  (?:\w+ )?(?:users?|admins?|members?|guests?|customers?|visitors?|clients?|players?|authors?|owners?|editors?) (?:can|may) only\b
necessity head weak:
  {subject}(?:(?!(?:where|how|what|whether|why|if|when)\b)\S+ ){1,12}?(?<!(?:\b(?:that|which|who|i|we|you|there|task|pr|issue|not|i'd|we'd|you'd)|n't) )(?:(?:should(?:n't)?|ought to|may only) (?!{believed})|needs? to )(?!{past}|{once}|(?:we|i|you)\b|check\b|look\b|fix\b|do\b|add\b|update\b|know\b|see\b)\w
  should (?!{past}|{believed}|(?:not )?(?:be (?:a )?(?:quick|easy|fast|simple|trivial|obvious|short)|pass|take (?:long|too|more|less|a|no))\b|{once}|(?:i|we|you|it|the|this|that|they|there)\b)\w
  we should (?:only|always|never|not|at least|still|be|have|keep|use|support|default|avoid|ensure|make (?:sure|it clear)|stick|stay|prefer|treat|follow|show|display)\b(?! (?:able|fine|good|ok|a look))
  we (?:do |also |really |definitely |still )*(?:need|have) to (?:always |also |really |still )*(?:make sure|ensure|keep|support|avoid|always|stay|remain|preserve|stick|be (?!able to (?:see|test)|done)|do the minimum)\b
  (?:a|one) (?:hard |key |strict |further |important )?(?:requirement|constraint|rule|condition)(?: here)? is\b
necessity clause weak: (?:is|are) (?:strictly |absolutely |always |strongly |generally )?(?:mandatory|non-negotiable|a must|a hard requirement|preferred|not optional)\b
standing head weak:
  always (?!\w+(?:ed|s)\b(?! )|shows|returns|fails|crashes|happens|get\b|been)\w
  (?:we|you) (?:always|never) (?!had|got|saw|did|have|been|\w+ed\b)\w
  (?:from (?:now|here|today) on(?:wards?)?|going forward|moving forward|in (?:the )?future|henceforth)\b
  as a rule\b
  (?:(?:every|each) time|whenever) (?:you|we|i|there|a|an|the)\b(?!.*\b(?:fails?|crash|breaks?|error|get|happens|freezes)\b)
  (?:after|before|at the (?:start|beginning|end) of) (?:each|every|any) \w
  (?:(?!to\b)\w+ ){0,3}(?:meaningful|individual|separate|smaller?|atomic|granular|conventional|focused|logical|incremental|frequent|regular) (?:[a-z]+ )?(?:commits|commit messages|prs|pull requests)\b(?! (?:is|are|was|were)\b)
  (?:this|the|our) (?:repo(?:sitory)?|project|app|site|codebase|product|team) (?:will|is going to) (?!be (?:done|ready|fine)\b|need\b|fail|break|crash)\w
  .{1,80}\b(?:is|are|will be) now (?:called|named)\b
  (?:always )?(?:use|write|spell|stick to|prefer) .{0,40}\b(?:british|american|us|uk|canadian|australian) (?:english|spellings?)\b
  (?:always )?(?:answer|reply|respond|write|speak|talk)(?: to me| everything)? (?:only )?in (?:english|german|french|spanish|italian|portuguese|russian|chinese|japanese|korean|simplified|traditional|plain)\b
  (?:always |please )?(?:ask|(?:ask|check with|consult|tell) me) (?:first )?before (?:you )?\w
  (?:new |another |one more )?standing (?:orders?|rules?|items?|instructions?)\b
  (?:we|the team) (?:only |always |never )?(?:do|are|go|build|work|think|stay|develop|design)(?: things)? \S+[- ](?:first|only)\b
  we (?:don't|do not|only) (?:use|mock|commit|push|ship|merge|deploy|allow|touch|hard-?code|force-?push|squash|amend|break|rebase|expose|release|write|throw|import|export|sign|tag|vendor|publish)\b
standing sentence weak:
  ^(?!.*\b(?:now|still|again|yet|already|wrong|broken|missing|bug|errors?(?! (?:messages?|codes?|classes)\b)|fail\w*|green|red)\b)(?:(?:all|every|each) (?!(?:\d+|good|set|done|fine|ok|right|clear|tests?|checks?|of|time)\b)(?:[\w-]+ ){1,4}?|(?=.{1,90}$)(?:(?:our|new|public) )?(?!(?:the|these|those|my|your|some|most|both|no|their)\b)(?:[\w-]+ )?{artefact} )(?:(?:is|are) (?:(?:kept|written|named|signed|stored|sorted|formatted|reviewed|always|only|never|utc|next to|\d+|two|four|lower|kebab|camel|snake)|in (?!(?:the|place|sync|order|progress|src|review)\b)[\w-]+(?: \w+)?[.!]*$)|(?:has|have) (?:an?(?! problem| typo)|its|their|to|(?!(?:[a-z]+ed|been|no|run|gone|come|left|lost|made|grown)\b)[\w-]+[.!]*$)|(?:get|go|start|end|use|follow|live|begin|come|sit|belong)s? (?!(?:to|out|\w+ed)\b)|(?:always|never) (?!pass|work|show|crash|finish|run|load|appear|happen|\w+ed\b))
standing clause weak:
  ^{task}\b.{0,160}\b(?:from now on|going forward|in (?:the )?future|every time|each time|as (?:we|you) go|as each|after (?:each|every)|before (?:each|every|committing|pushing|merging|you (?:commit|push|merge))|(?:for|on|in) (?:each|every) (?:commit|change|pr|step|file|task|feature|release)|at all times|whenever|until (?:i|we) (?:say|tell|ask)|unless (?:i|we|told|asked|otherwise|explicitly)|by default)\b
limit head:
  (?:run|test|call|start|commit|implement|do|work|solve|reuse|deploy|release)\b.{0,120}\b(?:by \w+ing|directly|where(?:ver)? possible)\b
  (?:\w+ ){0,6}(?:one at a time|one by one|step by step)\b
  only (?!(?:(?!when\b|if\b|where\b|that\b|which\b|what\b|after\b|for\b)\S+ ){1,6}(?:is|are|was|were|works?|fails?|shows?|gets?|got)\b(?! (?:allowed|to\b))|one\b|thing\b|problem\b|question\b|issue\b|then\b|got\b|because\b|now\b|really\b|half\b|after that|the (?:last|first) (?:one|thing)|saw\b|see\b|works?\b|shows?\b|fails?\b|difference\b|\d+ (?:of|left)|time\b|a (?:few|couple)|\w+ed\b|what i\b|thing i\b)\w
  {task}\b.{0,120}(?<![\w-])(?:only|exclusively|nothing else|nothing more|no more than|not more than|at most|strictly)(?![\w-])(?! (?:has|have|is|are|one|saw|shows?|works?|\w+ed\b)\b)
  {task}\b.{0,120}\bwithout (?:any (?!error|issue|problem|warning|fail)|new|extra|external|(?!warning)\w+ing\b)
  {task}\b.{0,160}\bwith no (?:new |extra |external |other )*\w
  (?:use|utili[sz]e) .{1,100}(?:\binstead of|\brather than|\bin place of|,? not|\bover)\b
  (?:use|utili[sz]e) .{1,60} (?:everywhere|throughout|for everything|for all|for every)\b
  (?:limit|restrict|confine|constrain) (?:it|this|that|them|yourself|the|your|all|any|to|\w+ to|\w+ \w+ to)\b
  (?:report|list|focus|give(?: me)?)\b.{0,60}(?<![\w-])only\b(?! (?:when|if) (?:you|i) )
  stay (?:within|inside|on|in|away|under|below|out of)\b
  (?:at most|no more than|not more than|max(?:imum)? (?:of )?\d)
limit head weak: without (?:adding|changing|breaking|touching|using|modifying|introducing|removing|creating|editing|deleting|renaming|losing|installing)\b
# Also what an instruction spares the user.
limit sentence weak:
  \b(?:minimal|smallest|minimum|least|(?:as|very) (?:few|little|small|minimal))(?: possible| number of| amount of| set of)? (?:\w+ ){0,3}{changes}\b
  ^(?:also |and |but |so )?(?:instead of|rather than) .{2,160}\b(?:use|have|make|put|run|show|say|write|call it)\b
  ^(?!(?:it|that|this|these|those|i|we|he|she|they|there|what|which|maybe|why|how)\b)(?!.*\b(?:is|are|was|were|comes?|came|has|had)\b)[^,]{3,60}, ?not \w[^,]{0,40}[.!]*$
  \bso (?:that )?(?:i|we)(?:'ll| will|'d| would)? (?:(?:don't|won't|do not|not) (?:always )?|only )(?:have|need) to\b
keep head:
  (?:let'?s |we (?:should|need to|want to|must) |you (?:should|must) )?(?:also |just |still |always |please |only )*(?:keep(?! (?:going|in mind|up\b|on\b|at it|calm|me (?:posted|updated)|(?!existing|everything|naming|spacing|logging|testing|caching|routing|styling)\w+ing\b))|preserve|maintain|retain|respect|stick (?:to|with)|adhere to|comply with|conform to|(?:ensure|make (?:very |absolutely |extra |100% )?sure|make certain|be sure)(?!{doneOnce})|be careful (?:to|not)|honou?r|remember to|stay consistent|prefer|favou?r)\b(?! (?:what|why|how|whether|if)\b)
  follow (?!up\b|(?:the |this |these |that )?(?:link|steps?|url)\b|along\b|me\b)\w
  (?:let'?s )?(?:just |also |please )*leave (?:.{1,80} )?(?:alone|as[- ]is|as (?:it|they) (?:is|are)|untouched|unchanged|intact|out)\b
  (?!(?:it|that|this|i|we|he|she)\b)(?:\S+ ){1,6}(?:stays?|remains?) (?:in|on|as(?:-is| is| it is| they are)|out of|at|the same|unchanged|untouched|private|public|stable)\b
  treat .{1,80} as (?:read-?only|immutable|frozen|the source of truth|authoritative|untrusted)\b
preference head weak:
  (?:i|we)(?:'d|'ll| would| will| do)?{adverb}* (?:want|prefer)(?! {errand})\b
  (?:i|we)(?:'d| would){adverb}* (?:rather|prefer)\b(?! (?:to (?:know|see|understand|hear|check|discuss|talk)|you to (?!only|always|never|not|use)))
  (?:i|we)(?:'d| would){adverb}* (?:like|love|appreciate)\b(?! {errand})
  let'?s (?:also |just |please |rather |instead |maybe |then )*(?:use|stick|only|always|limit|default|prefer|standardi[sz]e)\b(?! (?:(?:the|this|that|a) \w+ to\b|up|your|the (?:skill|tool|search)|linear|jira|slack|this (?:session|chat)))
  (?:i|we) need (?:it|this|them|the|all|every|each|our|both) .{0,120}?\bto (?!be (?:fixed|updated|merged|done|reviewed)|know\b|see\b|check\b|understand\b|get\b)
  (?:it|that)(?:'d| would)(?: also| really)* be (?:great|nice|good|better|best|cool|ideal) (?:if .{1,60}?\b(?:didn't|don't|doesn't|did not|never|only|always)\b|not to\b|to (?!see|know|check|hear|have a)|for (?:the|our|all|every|any)\b)
  (?:it's|it is) important (?:that|to)\b
allows:
  (?:you|we) (?:can|may|could)(?: now| also| again| go ahead and| then| safely| actually)*[ ]
  (?:it's |it is |it's now |it is now )?(?:ok|okay|fine|safe|alright|allowed) (?:now )?to[ ]
  (?:feel )?free to[ ]
  go ahead (?:and |with )?
releases:
  (?:you |we |i )?no longer (?:need|have|want)(?: to)?[ ]
  (?:you |we |i )?(?:don't|do not|dont) (?:need|have|want)(?: to)? (?=.*\b(?:anymore|any more|any longer)\b)
  (?:there's |there is )?no longer (?:a |any )?(?:need|reason|requirement)(?: to| for)?[ ]
  forget (?:about )?(?!to\b)
  ignore (?:the|my|what i said about)[ ]
  (?:drop|scrap|lift) (?:the|my|that)[ ]
ends:
  (?:rule|restriction|constraint|ban|requirement|limit(?:ation)?|prohibition)s?\b.{0,60}\b(?:gone|off|over|lifted|void|dropped|obsolete|history|out the window|no longer|(?:doesn't|does not|don't|do not) (?:apply|hold|count|matter)|can go)\b
  no longer (?:forbidden|prohibited|banned|disallowed|off[- ]limits|a (?:rule|must|requirement)|applies|apply|holds|required|necessary|needed|true)\b
  (?:is|are|it's|its) (?:now |ok |okay |fine |totally |perfectly |actually )*(?:allowed|fine|ok(?:ay)?|permitted|acceptable|welcome)(?: again| now| after all| from now on|[.!]*$)
  (?:allowed|permitted|fine|ok(?:ay)?) (?:again|after all|from now on)\b
  changed (?:my|our) minds?\b
  (?:drop|scrap|remove|lift|ignore|forget|cancel|disregard|relax|skip|undo|take back|never ?mind) (?:the|that|my|this|our|any) (?:\S+ ){0,6}(?:rule|restriction|constraint|ban|requirement|limit(?:ation)?|prohibition)s?\b
  (?:forget|ignore|scratch|scrap|disregard|take back|cancel|drop) (?:what|everything|all|whatever) i (?:just |once )?(?:said|told|wrote|asked)\b
rule names: \b(?:rule|restriction|constraint|ban|requirement|limit(?:ation)?|prohibition)
cancels:
  (?:actually |ok |no |hmm |oh |wait |sorry |yeah |yes |please |you can )*(?:forget|scratch|ignore|cancel|disregard|scrap|undo|drop|strike) (?:that|it|this|what i (?:just )?said|my (?:last|previous) (?:message|comment|request|instruction|rule))(?: rule| part| requirement| constraint| one| last part| last message)?(?:[.!]*$|, )
  (?:actually )?(?:never ?mind|nvm)(?: that| then| about that)?[.!]*$
  that (?:rule|constraint|requirement|restriction) (?:no longer applies|is (?:off|gone|lifted|void))\b
negations:
  instead of|rather than|no longer use|stop using|don't use|do not use|dont use|never use|not|replaces?|drop
  away from
empty:
  a an the and or but of to about in on at for with from by as is are be was were it this that these those do does
  don't dont not no never always must should shall need needs have has only just please any all some my your
  our their its you we i they let's lets us use using used make sure ensure keep want prefer rather instead
  than yet now again still also so then if when can may will would could until into ever
passing:
  (?<!only )for (?:now|the moment|today)|right now|(?<!from )now (?:just|only)|this time|just (?:this )?once
  today|tonight|tomorrow|at first|first only|when (?:they're|it's|you're|they are|it is|you are) (?:done|finished|ready)
moment: yet|for now|right now|at the moment|for the moment|until|before|so far|today|first
always: never|always|from now on|going forward|under no circumstances|ever|every|each|any
headings: (?:hard |key |important |technical |general |additional |other |my |our |the |project |coding |code |design |global |strict |some |known )*(?:constraints?|rules?|requirements?|restrictions?|guardrails?|guidelines?|ground rules|conventions?|limitations?|boundaries|non-?goals?|out of scope|do(?:n['’]?t| not)s?|do not|don['’]?ts?|must(?: not| have)?s?|never|always|standing (?:orders?|rules?)|acceptance criteria|invariants?|principles?|preferences?|dos? and don['’]?ts?|ask first|not allowed|forbidden)
forbidden headings: .*\b(?:do(?:n['’]?t| not)s?|never|not allowed|forbidden|prohibited|off[- ]limits|non-?goals?|out of scope|must nots?|avoid)(?: .{0,40})?
strong demand:
  must|mustn't|mustnt|never|don't|dont|do not|doesn't need|only|always|make sure|be sure to|ensure|ensures
  without|avoid|instead of|rather than|no longer|at most|at least|no more than|no less than|required
  mandatory|forbidden|prohibited|not allowed|under no circumstances|no need to|strictly
  under any circumstances|stop|use [\w@./-]{1,40},? not
weak demand:
  should|shouldn't|shouldnt|should not|need|needs|needs to|need to|have to|has to|keep|cannot|can't|may not
  shall|requires|require|requirement|exactly|prefer|unless|leave|preserve|it is important|important
  remember to|stick to|limit|up to|ought to|i want|we want
`
