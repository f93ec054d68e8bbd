import { largePattern } from '../../session/large-pattern.ts'

// Sentences are given in lower case, with plain apostrophes.

/** Whether a sentence states that something is not done, does not work, is not proven, or is put off. */
export function isUnfinished(lower: string): boolean {
  if (denied.test(lower) || othersFault.test(lower)) return false
  const [, part, all] = partDone.exec(lower) ?? []
  return unfinished().test(lower) || Number(part) < Number(all)
}

/** Whether a sentence may mean this: it has a word about something missing, outside of code. */
export function isHedged(lower: string): boolean {
  return hedges().test(lower.replace(/`[^`]*`/g, '`')) && !denied.test(lower)
}

/** Checks fail for a reason outside of this work, and stay so: worth knowing, but not open. */
export const othersFault =
  /^(?!.*(?:\b(?:fix(?:ed|es|ing)?|resolv(?:ed|es|ing)|clean(?:ed|s)? up|no|never|none|without|whether|if)\b|(?:n't|\bnot) (?:an? )?(?:pre|unrelated))).*(?:\b(?:pre-?existing|unrelated)\b.{0,60}\b(?:failures?|failing|failed|errors?|timeouts?)\b|\b(?:failures?|errors?|timeouts?)\b.{0,40}\b(?:is|are|was|were|as) (?:all |both |also |an? |the )?(?:same )?(?:pre-?existing|unrelated)\b)/

/** Whether a heading states this about the list below it. */
export function titlesUnfinished(lower: string): boolean {
  return titles().test(lower)
}

const unfinished = largePattern(
  new RegExp(
    [
      /\b(?:not|n't) (?:(?:yet|been|be|fully|all|actually|really) ){0,2}(?:commit|push|merge|deploy|test|check|run|ran|verif|valid|publish|releas|start|begun|finish|wir|migrat|appl|fix|address|reproduc|confirm|review|done|implement|resolv|complet|execut|exercis|build|built|compil)\w*(?<!ing)\b/,
      /\b(?:uncommitted|unpushed|unmerged|untested|unverified|unproven|unstaged|outstanding|deferred)\b(?! (?!(?:and|n?or|but|because|in|on|at|for|with(?:out)?|against|from|un(?:til|less|der)|since|so|as|by|to|before|after|when|where|if|while|though|yet|now|here|again|too|also|which|that|is|are|was|were|work|changes|edits|files)\b)[a-z])/,
      /\b(?:i|we) (?:did not|didn't|have not|haven't|could not|couldn't|(?:was|were|am) (?:not able|unable) to|wasn't able to) (?:yet |actually )?(?!(?:touch|change|modif|edit|use|need|add|see|find|miss|remove|break|alter|rename|introduce)\w*\b)\w+/,
      /\bstill (?:open|needs?|fails?|failing|pending|missing|broken|blocked|crashes|do(?:es)?(?:n't| not) work|(?:has |have )?to be|to do|requires?|(?:has|have|shows?|reports?|hits?)\b.{0,80}\b(?:failures?|failing|errors|timeouts?))\b/,
      /\b(?:remains?|remaining|was left|were left) (?:open|to be|uncommitted|unstaged|unresolved|broken|failing|blocked)\b|\byet to (?:be|do)\b|\bleft (?:\w+ ){0,3}for (?:a follow|later|another|the next|tomorrow)|\bblocked (?:on|by)\b/,
      /\b(?:push|commit|merge|deploy(?:ment)?|publish|release) (?:has |was )?(?:failed|rejected|refused|blocked)\b|\bi do(?:n't| not) (?:actually|really) know\b/,
      /\b(?:should|must|needs? to) be (?:\w+ ){1,4}before (?:\w+ ){0,2}(?:merg|releas|deploy|commit|shipp)ing\b/,
      /\b(?:tomorrow|next session|next time)\b.{0,60}\b(?:i|we|you|it)\b|\b(?:pick|come back|come at|continue|resume|finish|look at|tackle)\b.{0,40}\b(?:tomorrow|later|next time|next session|fresh|another day)\b/,
      /\b(?:noch )?nicht (?:getestet|ausgeführt|überprüft|verifiziert|gebaut|behoben)\b|\bnoch nicht\b|\b(?:steht|stehen) noch aus\b|\bbleibt (?:noch )?(?:zu|offen)|\bschlägt (?:weiterhin|immer noch|noch) fehl\b/,
      /\bpas (?:pu )?(?:encore|test|exécut|vérifi|lanc|corrig)|\breste(?:nt)? à |\béchoue(?:nt)? (?:toujours|encore)\b/,
      /\b(?:todavía|aún) no\b|\bno (?:he |hemos |pude |pudimos )?(?:prob|ejecut|verific|correg)|\bqueda(?:n)? (?:por|pendiente)|\bsigue(?:n)? fallando\b/,
      /\bainda não\b|\bnão (?:foi |foram |consegui )?(?:test|execut|verific|rod|corrig)|\bfalta(?:m)? |\bcontinua(?:m)? falhando\b/,
      /\bnon (?:ancora|(?:ho |è stato |sono riuscito a )(?:test|esegu|verific|corre))|\bresta(?:no)? da\b|\bancora da\b|\bfallisc(?:e|ono) ancora\b/,
      /(?:ещё|еще|пока) не |(?:^|\s)не (?:запускал|тестировал|проверял|проверен|протестирован|исправлен|удалось)|осталось |вс[её] ещ[её] (?:падает|не)/,
      /尚未|还没|還沒|未提交|未完成|(?:没有|沒有|未能?|无法|無法)(?:运行|執行|执行|测试|測試|验证|驗證|编译|編譯|构建|修复|修復|部署|推送)|仍(?:然|旧|舊)?(?:失败|失敗|报错|報錯|有问题|有問題|未)/,
      /まだ|未コミット|未(?:検証|テスト|確認|解決|対応|実行)|(?:実行|テスト|検証|確認)(?:していません|できていません|できませんでした)/,
      /아직|남아 ?있|(?:실행|테스트|검증|확인|빌드|배포)하지 (?:않았|못했)|미해결/,
    ]
      .map(({ source }) => source)
      .join('|'),
    'u',
  ),
)

const hedges = largePattern(
  /\b(?:not (?:available|possible|covered|supported|included|handled|ready)|cannot|(?:has|have|did|could|was|were|ca)n't|yet|todo|to-do|tbd|skip(?:ped|s)?|unavailable|partial(?:ly)?|except|needs|later|follow-?ups?|rejected|blocked|pending|remains?|nicht|offen|später|pas|reste|à faire|falta|pendiente|após|depois|manca|resta|позже|нужно)(?![\p{L}])|待|後で|나중/u,
)

const titles = largePattern(
  /^(?:(?:still )?(?:outstanding|unresolved)|still (?:open|failing|broken)|(?:known|open|remaining) (?:issues?|bugs?|problems?|failures?|errors?|limitations?)|blockers?|deferred|not (?:yet )?(?:tested|verified|fixed|working|implemented|run)|what (?:i|we) (?:did not|didn't|have not|haven't) \w+|offene probleme|bekannte (?:probleme|einschränkungen)|nicht getestet|problèmes connus|en suspens|problemas (?:conocidos|conhecidos)|pendências|problemi noti|известные проблемы|не проверено)\b|^(?:已知|遗留|遺留|未解决|未解決)(?:的)?(?:问题|問題)|^(?:既知の問題|未検証|알려진 문제|미해결)/u,
)

/** "Evaluation 1 of 2" */
const partDone = /\p{L} (\d{1,2})(?: of (?:the )?|\/| von | de | sur | di | из )(\d{1,2})(?![\d.%])/u

/** The thing is absent, conditional, or as wanted. */
const denied =
  /^(?:if|when|once|unless|wenn|falls|si|se|если|如果|もし)\b|\bno (?:\w+ )?(?:issues?|problems?|errors?|failures?|tests?|changes?|open|other|further|more|remaining|remain|failing|uncommitted|known|blockers?|need|action)\b|\b(?:none|nothing|without|zero|keine?[nrs]?|nichts|aucune?|rien|ningun[ao]?|nada|nenhum[a]?|nessun[ao]?|whether|as (?:expected|intended|planned|requested|agreed)|by design|on purpose|intentionally|deliberately)\b|\bno longer\b|нет /
