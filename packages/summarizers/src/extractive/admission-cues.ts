/**
 * How an agent says that something does not work, was not done or is not proven. Patterns run on one sentence in lower
 * case with plain apostrophes. English first; the other languages have the words of most such sentences.
 */
export interface AdmissionCues {
  /** Anywhere in a sentence of an answer. */
  readonly said: readonly RegExp[]
  /** The same in other scripts than the Latin one: most sentences have none of their characters. */
  readonly saidInOtherScripts: readonly RegExp[]
  /** At its beginning, as a label, or as the heading of the list that contains it. */
  readonly labels: readonly RegExp[]
}

const notDone =
  'run|ran|test|tested|verify|verified|validate|validated|confirm|confirmed|exercise|exercised|reproduce|reproduced|build|built|compile|compiled|execute|executed|deploy|deployed|push|pushed|fix|fixed|finish|finished|complete|completed|resolve|resolved'

export const admissionCues: AdmissionCues = {
  said: [
    new RegExp(
      `\\b(?:i|we) (?:did not|didn't|have not|haven't|could not|couldn't|was not able to|wasn't able to|was unable to|were unable to|am unable to) (?:yet |actually |fully |really )?(?:${notDone})\\b`,
    ),
    new RegExp(`\\b(?:has|have)(?: not|n't) (?:yet )?been (?:${notDone})\\b`),
    /\b(?:is|are|remains?|was left|were left) (?:still )?(?:outstanding|unverified|unproven|broken|failing)\b/,
    /\bstill (?:fails|failing|broken|crashes|does not work|doesn't work|do not work|don't work)\b/,
    /\bi do(?:n't| not) (?:actually|really) know\b/,
    /\bstill (?:has|have|shows?|reports?|hits?)\b.{0,80}\b(?:failures?|failing|errors|timeouts?)\b/,
    // German, French, Spanish, Portuguese, Italian
    /\bnicht (?:getestet|ausgeführt|überprüft|verifiziert|gebaut|behoben)\b|\bschlägt (?:weiterhin|immer noch|noch) fehl\b|\b(?:steht|stehen) noch aus\b|\bbekannte[sr]? (?:probleme?|fehler)\b/,
    /\bn'ai pas (?:pu )?(?:encore )?(?:testé|tester|exécuté|exécuter|vérifié|vérifier|lancé|lancer|corrigé|corriger)(?![a-zà-ÿ])|\bpas encore (?:testé|vérifié|corrigé)|\béchoue(?:nt)? (?:toujours|encore)\b|\bproblèmes? connus?\b|\ben suspens\b/,
    /\bno (?:he |hemos |pude |pudimos )?(?:probado|probar|ejecutado|ejecutar|verificado|verificar|corregido)\b|\bsigue(?:n)? fallando\b|\bqueda(?:n)? pendientes?\b|\bproblemas? conocidos?\b/,
    /\bnão (?:foi |foram |consegui )?(?:testei|testado|testados|testar|executei|executado|executar|verifiquei|verificado|verificar|rodei|rodar|corrigi|corrigido)\b|\bcontinua(?:m)? falhando\b|\bfica(?:m)? pendentes?\b|\bproblemas? conhecidos?\b/,
    /\bnon (?:ho |è stato |sono riuscito a )(?:testato|testare|eseguito|eseguire|verificato|verificare|corretto)\b|\bfallisc(?:e|ono) ancora\b|\bin sospeso\b|\bproblem[ai] not[oi]\b/,
  ],
  saidInOtherScripts: [
    // Chinese, Japanese, Korean, Russian
    /(?:尚未|还没有|還沒有|没有|沒有|未能?|无法|無法)(?:运行|執行|执行|测试|測試|验证|驗證|编译|編譯|构建|修复|修復|部署|推送)/,
    /仍(?:然|旧|舊)?(?:失败|失敗|报错|報錯|有问题|有問題|未解决|未解決)|(?:遗留|遺留|已知)(?:问题|問題)|待(?:修复|修復|解决|解決|验证|驗證)/,
    /未(?:検証|テスト|確認|解決|対応|実行)|(?:実行|テスト|検証|確認)(?:していません|できていません|できませんでした)|まだ(?:失敗|エラー)|既知の(?:問題|不具合)/,
    /(?:실행|테스트|검증|확인|빌드|배포)하지 (?:않았|못했)|아직 (?:실패|해결되지)|미해결|알려진 문제/,
    /не (?:запускал|тестировал|проверял|проверен|протестирован|исправлен|удалось (?:запустить|проверить|собрать))|вс[её] ещ[её] (?:падает|не работает)|известн(?:ая|ые) проблем/,
  ],
  labels: [
    /^(?:(?:still )?(?:outstanding|unresolved)|still (?:open|failing|broken))(?:$|\s*[:(—–-]|\s+(?:for|to|until|issues?|items?|problems?)\b)/,
    /^(?:known (?:issues?|bugs?|problems?|failures?|limitations?)|open (?:issues?|problems?)|remaining (?:issues?|problems?|failures?|errors?)|blockers?)\b/,
    /^(?:partially done \/ )?deferred\b/,
    /^not (?:yet )?(?:done|tested|verified|fixed|working|implemented|run)\b/,
    /^what (?:i|we) (?:did not|didn't|have not|haven't) \b/,
    /^(?:已知|遗留|遺留|未解决|未解決)(?:的)?(?:问题|問題)|^(?:未完成|待办|待辦)|^(?:既知の問題|未解決|未検証)|^(?:알려진 문제|미해결)/,
    /^(?:offene probleme|bekannte (?:probleme|einschränkungen)|nicht getestet|problèmes connus|en suspens|problemas (?:conocidos|conhecidos)|pendientes?|pendências|problemi noti|известные проблемы|не проверено)/,
  ],
}

/** A character of the scripts of `saidInOtherScripts`. */
export const otherScript = /[\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/

/** Checks fail for a reason that is not of this work, and are left so. */
export const othersFault =
  /\b(?:pre-?existing|unrelated)\b.{0,60}\b(?:failures?|failing|failed|errors?|timeouts?)\b|\b(?:failures?|errors?|timeouts?)\b.{0,40}\b(?:is|are|was|were|as) (?:all |both |also |an? |the )?(?:same )?(?:pre-?existing|unrelated)\b/

/** It was put right, or there is none. */
export const notLeft =
  /\b(?:fix(?:ed|es|ing)?|resolv(?:ed|es|ing)|clean(?:ed|s)? up|no|never|none|without|whether|if)\b|(?:n't|\bnot) (?:an? )?(?:pre|unrelated)/

/** A fault was seen, and put aside for something else. */
export const putAside =
  /\b(?:inconsisten\w{2,5}|discrepanc\w{1,3}|mismatch\w{0,3}|problems?|issues?|bugs?|errors?|wrong|broken|fails?|failing)\b.{0,160}\bbut (?:i'll|i will|i'm going to|let me|we'll|let's) (?:\w+ )?(?:focus|leave|skip|ignore|move on|come back|proceed|continue)\b/

/** A hypothetical case. */
export const conditional =
  /→|^(?:if|when|once|unless|should|in case|wenn|falls|si|se|если|如果|若|もし)(?:\s|[\p{Script=Han}\p{Script=Hiragana}]|,)|\bif (?:it|this|that|they|you)\b/u

/** Words by which a later answer says that it is done after all. */
export const settled =
  /\b(?:fixed|resolved|implemented|completed|done|verified|passes|passed|passing|works now|now works|solved|behoben|erledigt|corrigé|résolu|resuelto|corregido|corrigido|resolvido|risolto|исправлено)\b|已(?:修复|修復|解决|解決|完成)|修正しました|解決しました|해결했|완료/
