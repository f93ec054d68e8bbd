import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import { cueFinder } from '../../text/read-cues.ts'
import { sentenceTexts } from '../constraints/sentences.ts'
import { markdownParts } from '../markdown-blocks.ts'

/** Cues in the parts of a turn: English first, then the languages in which agents are used most. */
export const turnCues = cueFinder<
  'farewell' | 'declined' | 'agreed' | 'courtesy' | 'toUser' | 'offer' | 'trial' | 'announced' | 'gaveUp'
>(String.raw`
# Pieces of a message that ask for nothing, regardless of what came before.
farewell:
  (?:(?:and|so|many|ok|okay|great|perfect|awesome|big|again|yes|no) )*(?:thanks|thank you|thx|ty|cheers|much appreciated|appreciate (?:it|that|you|the|your)(?: .*)?)(?: (?:so much|very much|a (?:lot|ton|million|bunch)|again|all|everyone|guys|man|in advance|(?:for|but) .*))*
  i(?:'m| am)?(?: really| very)? (?:appreciate|grateful|hope|guess|think) .*|you(?:'re| are) (?:the (?:best|most)|great|awesome|amazing).*|that (?:really )?helps(?: .*)?
  bye(?: bye| now| for now)?|good ?bye|see (?:you|ya)(?: .*)?|talk (?:soon|later|to you later)|take care|cya
  have an? (?:(?:good|nice|great|wonderful|lovely) .*|(?!look\b)(?:\w+ ){1,2}(?:day|night|evening|morning|afternoon|weekend|week)(?: .*)?)|you too|good (?:night|morning|evening|afternoon)|enjoy .*day
  (?:i have|i've got|i need|i gotta|gotta|i must|i'll have) (?:to )?(?:leave|go|run|head out|be off)(?: .*)?|i'm (?:leaving|off|heading out)(?: .*)?
  be right back|brb|back in .*|i(?:'ll| will) (?:definitely |surely |just )?(?:be (?:back|in touch)|get back|reach out|contact|come back|keep an eye|gather|consider|think about|let you know|try (?:it|that)|take (?:it|a look|some time)|wait|find (?:it|out)|look into|check (?:it|that)).*|if (?:i need|anything else|you need) .*|never ?mind.*
  hello(?: there| again)?|hi(?: there| again)?|hey(?: there)?|good job|well done|nice work|great work|great job
  (?:谢谢|謝謝|多谢|多謝|感谢|感謝)(?:你|您|了|啦|大家)?(?:的?帮助|的?幫助|的?协助|的?協助)?|辛苦了|再见|再見|拜拜|晚安|你好|您好
  ありがとう(?:ございます|ございました)?|お疲れ(?:様|さま)(?:です|でした)?|さようなら|こんにちは
  감사합니다|고마워요?|고맙습니다|수고하셨습니다|안녕(?:하세요|히 .*)?
  (?:vielen |besten |herzlichen )?dank(?:e)?(?: schön| dir| ihnen| sehr)?|tschüss|auf wiedersehen|hallo|guten (?:morgen|tag|abend)
  merci(?: beaucoup| bien)?(?: .*)?|au revoir|à bientôt|bonjour|salut|bonne (?:journée|soirée)
  (?:muchas )?gracias(?: .*)?|adiós|hasta (?:luego|pronto|mañana)|hola|buenos días|buenas .*
  (?:muito )?obrigad[oa](?: .*)?|valeu|tchau|até (?:logo|mais|amanhã)|olá|bom dia|boa (?:tarde|noite)
  (?:mille )?grazie(?: .*)?|arrivederci|ciao|buongiorno|buona (?:giornata|serata)
  (?:большое )?спасибо(?: .*)?|пока|до (?:свидания|встречи)|привет|здравствуйте
# Pieces that close a conversation: they answer an offer with no.
declined:
  no,? thanks?(?: you)?|nope|no|nah|no need|not (?:now|needed|necessary)|nothing else|(?:uh |um |i think |i guess )?that(?:'s| is|'ll be| (?:will|would|should) be) (?:all|it|everything|fine|okay|ok)(?: .*)?|no (?:further|more|other) .{0,40}(?:needed|required|necessary)|i'm (?:all )?(?:set|good|done)(?: .*)?|we're (?:all )?(?:set|good|done)(?: .*)?
  不用了?|不需要|不必了?|没有了|沒有了|就这样|就這樣|结构|いいえ|結構です|아니요|괜찮아요
  nein(?: danke)?|non(?: merci)?|não|no gracias|no grazie|нет
# Pieces that agree: an answer if something was asked, otherwise small talk.
agreed:
  (?:that(?:'s| is) (?:a )?(?:great|perfect|awesome|nice|cool|excellent|wonderful|amazing|relief|good)(?: .*)?)|alright then|great to hear|ok(?:ay)?|great|perfect|awesome|nice|cool|excellent|wonderful|amazing|got it|understood|i understand|i see|will do|sure|alright|(?:sounds|looks|seems|works|all|very|so far so) good(?: .*)?|(?:that|this|it|everything)(?: all)? (?:sounds|looks|makes|works|seems) (?:good|great|fine|sense|perfect|well).*|makes sense|makes? (?:a lot of )?sense now|lgtm|good|fine|i will|wow|yay|fantastic|brilliant|love it
  好的?|好了|可以了?|没问题|沒問題|明白了?|了解|收到|知道了|完美|不错|不錯|太好了|棒
  はい|了解(?:です|しました)?|わかりました|いいですね|네|좋아요?|알겠습니다
  gut|super|prima|verstanden|alles klar|bien|parfait|compris|vale|perfecto|entendido|de acuerdo|beleza|perfeito|entendi|perfetto|va bene|capito|хорошо|отлично|понятно|ясно
# Offers to help that mean nothing in particular.
courtesy:
  (?:any(?:thing)?|something|what) (?:else|more|further)|(?:any|other|more|further|additional|specific) (?:questions?|help|assistance|concerns|requests|information|details|adjustments?|changes?|modifications?|tweaks?|clarifications?|feedback|issues?|problems?|features?|improvements?)
  feel free|happy to help|glad to help|here to (?:help|assist)|need (?:more |further )?(?:help|assistance)|(?:how|what) (?:can|may|could|else can) i (?:help|assist|do)|reach out|ask away|need(?:s)? (?:adjust|chang|modif|clarif|tweak)\w*
  (?:任何|其他|其它|别的|別的|什么|什麼|還有|还有).{0,12}(?:问题|問題|需要|需求|疑问|疑問|帮助|幫助|调整|調整|修改|功能|想)|随时(?:告诉|联系|提问|問)|隨時(?:告訴|聯繫|提問|問)|有问题|有問題
  (?:他に|ほかに|何か).{0,20}(?:あれば|ありますか|ございましたら)|お気軽に|다른|추가로|궁금한|도움이 필요
  weitere (?:fragen|hilfe|wünsche)|sonst noch|noch etwas|autre chose|besoin d.aide|autres? questions?|algo más|cualquier (?:duda|cosa|pregunta)|más ayuda|mais alguma|qualquer (?:dúvida|coisa)|precisar de (?:mais|ajuda)|altro|qualsiasi (?:domanda|cosa)|ещё (?:что|вопрос)|что-нибудь|другие вопросы
# Questions that are put to the user, anywhere in the text.
toUser:
  want me to|would you|do you|should i|shall i|should we|shall we|may i|can i|could i|could you|can you|did you|are you|have you|will you|is that (?:ok|okay|right|correct|what you)|is this (?:ok|okay|right|correct|what you)|does (?:that|this) (?:look|sound|work|match|make)|go ahead|proceed|which (?:one|option|approach|way|do|would|of|should)|what (?:do|would|should) (?:you|i|we)|how (?:do|would|should) (?:you|i|we)|where (?:do|would|should) (?:you|i|we)|ready (?:to|for)|sound good|look good|okay with|ok with|your (?:preference|call|choice|thoughts?)|or (?:would|do|should)|confirm
  要不要|是否|需要我|要我|你想|您想|你要|您要|希望我|可以吗|可以嗎|好吗|好嗎|请问|請問|哪个|哪個|哪一|还是|還是|要继续|要繼續|继续吗|繼續嗎|你希望|您希望
  ましょうか|ますか|ですか|でしょうか|よろしい|どちら|どの|할까요|드릴까요|하시겠|괜찮|어떤|어느|원하시
  soll(?:en)? (?:ich|wir)|möchtest|möchten sie|willst du|wollen sie|darf ich|kannst du|können sie|welche
  dois-je|veux-tu|voulez-vous|souhaitez-vous|souhaites-tu|puis-je|est-ce que (?:je|tu|vous)|quel(?:le)?|on y va
  ¿|quieres|quiere|desea|deseas|prefieres|debo|puedo|te gustaría|cuál
  quer que|você quer|deseja|posso|devo|prefere|gostaria|qual|vuoi|vuole|desidera|devo|posso|preferisci|quale
  хотите|хочешь|нужно ли|мне (?:продолжить|сделать|начать)|какой|какую|можно ли|продолжать
# Offers of a next step that needs the user's word.
offer:
  say the word|just (?:say|tell me|let me know)|let me know (?:if you(?:'d| would)? (?:like|want|prefer)|whether|which|what|how|when|where|once|your)|(?:please )?let me know (?:if|and)|if you(?:'d| would)? (?:like|want|prefer|agree|approve)|(?:when|whenever) you(?:'re| are) ready|(?:once|after|when|as soon as) you(?:'ve| have)? (?:confirm|approve|merge|review|decide|choose|answer|reply|push|tell|give|sign|run|test|say|pick|respond|provide)\w*|awaiting (?:your|the user|approval|confirmation)|waiting (?:for|on) (?:your|you|the user|approval|confirmation)|(?:need|needs|require|requires) your (?:input|approval|decision|confirmation|go-ahead|review|answer|feedback|permission|call|word|ok)|^(?:just |then |so |and )?(?:confirm|clarify|advise|choose|approve|provide|specify|share|tell me|give me|send me|paste|pick) |please (?:confirm|clarify|advise|choose|approve|provide|specify|share|tell me|give me|send me|paste|pick|review and)|tell me (?:which|if|whether|what|how|when)|your call|up to you|pending your|subject to your|ready when you are|ready for your (?:review|feedback|approval)|reply with|tell me to
  请(?:您|你)?(?:告诉|确认|选择|提供|说明|回复|决定|批准|审核)|請(?:您|你)?(?:告訴|確認|選擇|提供|說明|回覆|決定|批准|審核|問)|如果(?:你|您)(?:愿意|願意|需要|想|希望|同意)|如需|若需|等(?:你|您)(?:的)?(?:确认|確認|回复|回覆|决定|決定)|告诉我|告訴我|由(?:你|您)(?:决定|決定)
  ご確認|お知らせ|教えて(?:ください|下さい)|ご希望|お待ち|必要(?:であれば|でしたら)|よければ|知らせて|알려\s?주세요|확인해\s?주세요|원하시면|필요하시면|말씀해\s?주세요
  sag(?:en sie)? (?:mir|bescheid)|gib(?: mir)? bescheid|wenn du (?:möchtest|willst)|wenn sie (?:möchten|wünschen|wollen)|bitte (?:bestätig|wähl|teil|gib|nenn)\w*|lass mich wissen|falls (?:gewünscht|du|sie)
  si (?:tu|vous) (?:veux|voulez|souhaites|souhaitez)|dis-moi|dites-moi|faites-moi savoir|fais-moi savoir|merci de (?:confirmer|préciser|choisir)|veuillez (?:confirmer|préciser|choisir|indiquer)|confirme[zr]?
  si (?:quieres|quiere|deseas|desea|prefieres)|dime|dígame|avísame|házmelo saber|por favor (?:confirma|indica|dime|elige)\w*|confírma\w*
  se (?:quiser|desejar|preferir|você)|me (?:diga|avise|confirme)|por favor (?:confirme|indique|escolha)|avise(?:-me)?|confirme|se (?:vuoi|vuole|desideri)|dimmi|fammi sapere|confermi?
  если (?:хотите|хочешь|нужно)|дайте знать|дай знать|скажите|скажи|подтверд\w*|сообщите|жду
# Work that the user has to do and report the outcome of.
trial:
  if (?:this|it|that|the \w+)(?: still| also)?(?: \w+){0,2} (?:fails|failed|breaks|happens|persists|(?:does|did)n'?t (?:work|help|fix|compile|build|pass|start|show)|does not (?:work|help|fix|compile|build|pass|start|show))|if you (?:still )?(?:see|get|hit|encounter) (?:the|an|this|that|it)|try (?:again|it again|it now|now|it out|running|that again|this)|give it (?:a|another) (?:try|go|shot)|paste (?:the|me|your|back|its)|(?:send|share|post|show) (?:me )?(?:the|your) (?:output|result|log|error|screenshot)|please (?:test|try|verify|retry|run|rerun|restart|reload|refresh|check (?:if|whether|that|again|it))|let me know (?:if|whether) (?:it|this|that|the)|let me know (?:how it|what (?:you|it|happens))|tell me what (?:you|it|happens)|can you (?:test|try|verify|check|run|confirm)|run (?:it )?when you(?:'re| are) ready
  (?:请|請)(?:再|重新)?(?:试|試|测试|測試|运行|運行|執行|执行|重启|重啟|刷新|验证|驗證|检查一下|檢查一下)|再试|再試|如果(?:还是|還是|仍然|仍|依然|还|還)|把(?:输出|輸出|结果|結果|错误|錯誤|日志|日誌)
  試して(?:みて)?(?:ください|下さい)|実行して(?:ください|下さい)|うまくいかない場合|それでも|다시 (?:시도|실행)|실행해\s?(?:보세요|주세요)|여전히
  probier(?:e|en sie)?(?: es)?|versuch(?:e|en sie)?(?: es)? (?:noch ?mal|erneut)|bitte (?:teste|testen|prüfe|prüfen|starte)|falls (?:das|es|der fehler)|wenn (?:das|es) (?:immer noch|nicht)
  réessaie[sz]?|essaie[sz]?|relance[sz]?|si (?:ça|cela|le problème) (?:ne|persiste)|teste[sz]?
  prueba (?:de nuevo|otra vez|ahora)|inténtalo|vuelve a (?:probar|ejecutar)|si (?:sigue|aún|todavía)|tente (?:novamente|de novo)|teste (?:novamente|agora)|se (?:ainda|continuar|o erro)|riprova|prova (?:di nuovo|ora)|se (?:ancora|non funziona)
  попробуй\w*|запустите|проверьте|если (?:всё ещё|все еще|не (?:поможет|работает|сработает))
# A text that announces what the agent does next, and so is not an answer.
announced:
  (?:(?:ok|okay|great|good|perfect|alright|excellent|now|next|first|then|so|finally|also|and|but|instead|actually|therefore)[,.!: ]+)*(?:let me(?! know)|let's|let us|i(?:'ll| will)(?! (?:be (?:here|happy|glad|ready|available)|let you|wait for (?:you|your)))|i am going to|i'm going to|i'm (?:now )?(?:\w+ing)|i need to|i have to|we need to|we'll|time to)
  (?:(?:now|next|still|currently)[, ]+)?(?:running|checking|verifying|looking|searching|reading|updating|fixing|adding|creating|writing|building|testing|committing|pushing|waiting|starting|continuing|investigating|reviewing|applying|re-?running)
  (?:好的?，?|那么，?|那麼，?|接下来，?|接下來，?|现在，?|現在，?|首先，?|然后，?|然後，?)*(?:让我|讓我|我来|我來|我将|我將|我会先|我會先|我先|正在|我现在|我現在|我要|我需要)
  (?:では|次に|まず|それでは)[、 ]?|(?:이제|먼저|다음으로)[ ]
  (?:nun |jetzt |als nächstes |zuerst )?(?:ich werde|werde ich|lass mich|ich (?:prüfe|führe|schaue|starte|lese|erstelle))
  (?:maintenant,? |ensuite,? |d'abord,? )?(?:je vais|laisse-moi|laissez-moi)|(?:ahora |primero |luego )?(?:voy a|déjame|déjeme|vamos a)|(?:agora |primeiro )?(?:vou |deixe-me|deixa eu|vamos )|(?:ora |adesso |prima )?(?:vado a|fammi|lasciami|procedo)|(?:теперь |сначала |сейчас )?(?:я |давайте |давай )
# An answer that says the work was given up.
gaveUp:
  (?:i(?:'m| am| was)|we(?:'re| are| were)) (?:unable|not able) to (?:make|complete|fix|implement|finish|solve|resolve|proceed|continue|carry)|i (?:could(?: not|n't)|can(?:not|'t)) (?:complete|finish|fix|solve|resolve|proceed|continue|carry)|i(?:'m| am)? giv(?:e|ing) up
  (?:我)?(?:无法|無法|不能)(?:完成|继续|繼續|解决|解決|修复|修復)|(?:完了|続行|解決)できません|완료할 수 없|(?:konnte|kann) (?:ich )?(?:das|die|den|es)?.{0,40}nicht (?:abschließen|beheben|lösen)|je ne peux pas (?:terminer|continuer|résoudre)|no (?:puedo|pude) (?:completar|continuar|resolver)|não (?:consegui|posso) (?:completar|continuar|resolver)|non (?:posso|riesco a) (?:completare|continuare|risolvere)|не (?:могу|удалось) (?:завершить|продолжить|исправить)
`)

/**
 * Request to the user at the end of an answer: for an answer, for permission to continue, or for the outcome of
 * something that the user runs.
 */
export interface Ask {
  readonly kind: 'question' | 'offer' | 'trial'
  /** The agent's words, on one line. */
  readonly text: string
}

/** Signals at the end of an answer besides its content. */
interface Closing {
  readonly asks: readonly Ask[]
  /** It announces the agent's next action without asking. */
  readonly announces: boolean
  /** Its last sentence has no end. */
  readonly isCut: boolean
  readonly gaveUp: boolean
}

/** Maximum characters at the end of an answer that are searched, and of a sentence that is kept. */
const maxClosingLength = 12_000
const maxAskLength = 300

/** Number of sentences from the end that are searched for a question to the user, and for an offer. */
const questionReach = 12
const offerReach = 5

/** Maximum statements after a question that addresses nobody. */
const statementsAfter = 2

/** Reads the end of an answer. Questions in code, quotes and headings do not count, nor do courtesies at its end. */
export function closingOf(text: string): Closing {
  const prose = markdownParts(text)
    .prose.map((line) => line.text)
    .join('\n')
    .slice(-maxClosingLength)
  const sentences = sentenceTexts(prose)
    .map((sentence) => cleanLine(sentence.replace(/\*\*|__/g, '')))
    .filter((sentence) => sentence !== '')
  const found: Ask[] = []
  let statements = 0
  for (const [index, sentence] of sentences.slice(-questionReach).reverse().entries()) {
    const kind = askKind(sentence, index, statements)
    if (kind === undefined) statements++
    else if (kind !== 'courtesy') found.unshift({ kind, text: cutHead(sentence, maxAskLength).trim() })
  }
  const last = sentences.at(-1) ?? ''
  const isCut =
    /[\p{L}\p{N}]$/u.test(last) && !/^\s*(?:[-*•+|>]|\d+[.)])/.test(prose.trimEnd().split('\n').at(-1) ?? '')
  const endsOpen = /[:：]$/.test(text.slice(-200).trim()) && prose.trim().length < 1000
  return {
    asks: found,
    announces:
      found.length === 0 && (endsOpen || isAnnounced(last) || (isCut && isAnnounced(sentences.at(-2) ?? ''))),
    isCut,
    gaveUp: [sentences[0] ?? '', last].some((sentence) => turnCues.holds('gaveUp', sentence.slice(0, 500))),
  }
}

function isAnnounced(sentence: string): boolean {
  return sentence.length < 400 && turnCues.begins('announced', sentence)
}

function askKind(
  sentence: string,
  fromEnd: number,
  statements: number,
): Ask['kind'] | 'courtesy' | undefined {
  const words = sentence.length <= 600 ? sentence : sentence.slice(-600)
  // Somebody else's words.
  if (/^["“「『«]/.test(words)) return undefined
  const isQuestion = questionEnd.test(words)
  const isNear = fromEnd < offerReach
  if (turnCues.holds('courtesy', words) && (isQuestion || isNear)) return 'courtesy'
  if (isNear && turnCues.holds('trial', words)) return 'trial'
  if (isQuestion && (turnCues.holds('toUser', words) || statements <= statementsAfter)) return 'question'
  return isNear && turnCues.holds('offer', words) ? 'offer' : undefined
}

const questionEnd =
  /[?？]["')\]*_`”」]*(?:\s*\p{Extended_Pictographic}\ufe0f?)*$|(?:[吗嗎]|ますか|ですか|しょうか|ませんか|까요|나요)[。.]?$/u
