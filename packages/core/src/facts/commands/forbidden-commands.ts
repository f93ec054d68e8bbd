import { cleanLine } from '../../session/clean-text.ts'
import { eventIndex } from '../../session/event.ts'
import { largePattern } from '../../session/large-pattern.ts'
import type { CommandProposal } from '../facts.ts'
import { lowerCase } from '../lower-case.ts'
import type { ProseLine } from '../markdown-blocks.ts'

const maxLineLength = 5000

/** Finds commands that the user's words forbid: "never run `x`", "`x` is forbidden", "don't git push". */
export function forbiddenIn(prose: readonly ProseLine[]): string[] {
  return prose.flatMap(({ text, under }) => {
    if (text.length > maxLineLength) return []
    const line = text.replaceAll('’', "'")
    const lower = lowerCase(line)
    const listed = /^\s*(?:[-*•+]|\d{1,2}[.)])\s*$/
    const marked = line.includes('`') ? [...line.matchAll(/`([^`\n]{2,400})`/g)] : []
    const spans = marked.flatMap(({ 0: whole, 1: code = '', index }) => {
      const before = lower.slice(Math.max(0, index - 120), index)
      const after = lower.slice(index + whole.length, index + whole.length + 60)
      const isForbidden =
        (forbids().test(before) && !reminds().test(before)) ||
        forbiddenAfter().test(after) ||
        (listed.test(line.slice(0, index)) && forbidsList().test(lowerCase(under)))
      return isForbidden ? [code] : []
    })
    const bans = /run|execute/.test(lower) ? [...lower.matchAll(plainBan())] : []
    const plain = bans.flatMap(({ 0: whole, index }) => {
      if (reminds().test(lower.slice(0, index + whole.length))) return []
      const words = line.slice(index + whole.length, index + whole.length + 200).split(/\s+/)
      const end = words.findIndex((word) => endsCommand.test(word))
      const last = words[end] ?? ''
      const taken =
        end === -1 ? words : [...words.slice(0, end), ...(/^[\w./-]+[.,;:!?]+$/.test(last) ? [last] : [])]
      return [taken.join(' ').replace(/[.,;:!?]+$/, '')]
    })
    return [...spans, ...plain].map(cleanLine).filter((command) => command !== '')
  })
}

/** Whether the user forbade the command, or a part of its chain, and did not ask for it later. */
export function isForbidden(command: string, proposals: readonly CommandProposal[]): boolean {
  const parts = command.split(/\s*(?:&&|\|\||[;|])\s*/)
  const begins = (text: string, start: string) => text === start || text.startsWith(`${start} `)
  return proposals.some(
    (ban) =>
      ban.forbidden === true &&
      [command, ...parts].some((part) => begins(part, ban.command)) &&
      !proposals.some(
        ({ byUser, forbidden, event, command: asked }) =>
          byUser === true &&
          forbidden !== true &&
          eventIndex(event) > eventIndex(ban.event) &&
          (begins(asked, ban.command) || begins(ban.command, asked)),
      ),
  )
}

const forbids = largePattern(
  /(?:(?<![\p{L}\p{N}_])(?:(?:don'?t|do not|never|must not|mustn'?t|should not|shouldn'?t|may not|avoid|stop|no more|no)\s+(?:ever\s+|again\s+)?(?:(?:re-?)?run(?:ning)?|execut(?:e|ing)|us(?:e|ing)|call(?:ing)?|try(?:ing)?|do(?:ing)?|invok(?:e|ing)|typ(?:e|ing)|issu(?:e|ing)|start(?:ing)?|launch(?:ing)?)?|niemals|nie|nicht|kein(?:e[nrms]?)?|(?:n'|ne )\p{L}+ (?:jamais|pas|plus)|(?:nunca|jamás|jamais|não|no|non|mai)\s+(?:ejecut\p{L}+|corr\p{L}+|us\p{L}+|execut\p{L}+|rod\p{L}+|esegu\p{L}+|lanc\p{L}+|utiliz\p{L}+)|(?:не|никогда не|нельзя)\s+(?:запуска\p{L}+|выполня\p{L}+|использ\p{L}+))|(?:不要|别|別|勿|禁止|不许|不許|不准|不得|严禁|嚴禁)(?:再)?(?:运行|運行|执行|執行|使用|用|跑)?)\s*(?:(?:the|any|this|le|la|el|o|il|das|den)\s+)?(?:(?:command|befehl|commande|comando|команду|命令)\s*)?[:：]?\s*["'(（「]?$/u,
)

/** "Don't forget to run" asks for it; "why don't you" suggests it. */
const reminds = largePattern(
  /(?:forget|hesitate|vergiss|oubli|olvid|esque[cç]|dimentic|забуд|忘)[^.!?]{0,40}$|\bwhy (?:don'?t|do not) (?:you|we)\b[^.!?]{0,40}$/u,
)

const forbiddenAfter = largePattern(
  /^\s*(?:(?:is|are|was) )?(?:strictly )?(?:forbidden|prohibited|off[- ]limits|banned|not allowed|verboten|interdit|prohibid|proibid|vietat|запрещ|禁止|不(?:要|许|准|允许))|^\s*(?:を|は|の)?\s*(?:実行|使用|使わ|使っ|走らせ)[^。]{0,8}(?:ないで|ない(?:こと|。|$)|禁止|だめ|ダメ)|^\s*(?:를|을|는|은)?\s*(?:실행|사용|쓰)[^.]{0,6}(?:지 ?마|금지|안 ?됩)|^\s*(?:nicht|niemals|nie) (?:aus|verwenden|benutzen|nutzen|ausführen)/u,
)

const forbidsList = largePattern(
  /(?<![\p{L}\p{N}_])(?:never|don'?t|do not|must not|forbidden|prohibited|banned|off[- ]limits|not allowed)(?![\p{L}\p{N}_])[^:]{0,60}[:：]?$|(?:禁止|不要|严禁)[^：:]{0,30}[:：]?$/u,
)

/** Without marks only if a verb says that a command follows. */
const plainBan = largePattern(
  /(?<![\p{L}\p{N}_])(?:don'?t|do not|never|must not|mustn'?t)\s+(?:ever\s+)?(?:(?:re-?)?run|execute)\s+(?:the command\s+)?(?=[a-z./~$][\w./-]*(?:\s|[.,;!]|$))/gu,
)

const endsCommand =
  /^(?:without|and|or|unless|until|till|before|after|again|yet|for|on|in|if|when|because|since|please|ever|directly|here|now|as|at|to|the|a|any|this|that|it|yourself|anymore|but|so|while)$|[,;:!?]$|[^.]\.$/i
