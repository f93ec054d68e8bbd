import { cleanLine } from '../../session/clean-text.ts'
import type { ContextEvent, SessionEvent } from '../../session/event.ts'
import { largePattern } from '../../session/large-pattern.ts'
import type { Steps } from '../../session/pauses.ts'
import { isKnownProgram } from '../../shell/command-program.ts'
import { lowerCase } from '../../text/lower-case.ts'
import type { CommandFact, CommandProposal } from '../facts.ts'
import { type FencedBlock, markdownParts, type ProseLine } from '../markdown-blocks.ts'

const maxCommandLength = 400

const maxProposals = 500

/**
 * Finds the commands that turns of the user and the agent, and approved plans, proposed to run, in their words: "run `x`", "next: `x`", a
 * shell block under such a line. Commands that they only report, quote or refuse do not count, and nothing is taken
 * from tools.
 */
export function* commandProposals(
  events: readonly SessionEvent[],
  commands: readonly CommandFact[],
): Steps<CommandProposal[]> {
  const programs = new Set(commands.map(({ program }) => program.split(' ', 1)[0] ?? ''))
  const found: CommandProposal[] = []
  for (const event of events) {
    if (event.type !== 'user' && event.type !== 'assistant' && !isPlan(event)) continue
    if (event.copied === true || event.inContext === false) continue
    yield
    const { prose, blocks } = markdownParts(event.text)
    const byUser = event.type === 'user' ? { byUser: true as const } : {}
    const own = event.type === 'user' ? prose : prose.map(withoutQuoted)
    const proposed = [
      ...own.flatMap(spansIn),
      // A long message of the user contains pasted output.
      ...(event.type === 'user' && prose.length > maxUserLines ? [] : own.flatMap(plainIn)),
      ...blocks
        .filter(({ lead }) => event.type === 'user' || !isQuotedOnly(`${lead.under} ${lead.text}`, ''))
        .flatMap(inBlock),
    ]
    const seen = new Set<string>()
    for (const { command, ...rest } of proposed) {
      const line = cleanLine(command)
      if (line.length > maxCommandLength || seen.has(line) || !beginsWithProgram(line, programs)) continue
      seen.add(line)
      found.push({ command: line, ...rest, ...byUser, event: event.id })
    }
  }
  return found.slice(-maxProposals)
}

/** Whether an event is a plan that the user handed over or approved, which an agent wrote. */
function isPlan(event: SessionEvent): event is ContextEvent {
  return event.type === 'context' && event.name === 'plan'
}

function withoutQuoted(line: ProseLine): ProseLine {
  const { text, under } = line
  if (text.length > maxLineLength || !text.includes('`')) return line
  const own = text.replace(/`[^`\n]{2,400}`/g, (span, at: number) => {
    const before = `${saysThat(under) ? under : ''} ${text.slice(Math.max(0, at - 300), at)}`
    const sentence = before.split(/[.!?;](?=\s)|[。！？；]/).at(-1) ?? ''
    return isQuotedOnly(sentence, text.slice(at + span.length, at + span.length + 300)) ? '' : span
  })
  return own === text ? line : { ...line, text: own }
}

function saysThat(under: string): boolean {
  return /[:：]$/.test(under)
}

type Found = Omit<CommandProposal, 'event'>

const maxUserLines = 20
const maxLineLength = 5000

function spansIn({ text, under }: ProseLine): Found[] {
  if (text.length > maxLineLength || !text.includes('`')) return []
  const found: Found[] = []
  let end = 0
  let goesOn = false
  for (const match of text.matchAll(/`([^`\n]{2,400})`/g)) {
    const [whole, code = ''] = match
    const before = clauseBefore(text.slice(0, match.index))
    const after = text.slice(match.index + whole.length)
    const isListed = /^\s*(?:[-*•+]|\d{1,2}[.)])?\s*(?:\[[ x]\])?\s*$/i.test(text.slice(0, match.index))
    // "run `a`, then `b`"
    const joined: boolean =
      goesOn &&
      /^[\s,;&(]*(?:(?:and|then|or|followed by|plus|und|et|y|e|и|然后|再|→|->)[\s,]*)*$/i.test(
        text.slice(end, match.index),
      )
    goesOn =
      proposes(before) ||
      joined ||
      /^\s*(?:を実行|を走らせ|で(?:実行|確認)|를 실행|을 실행|(?:bitte )?aus(?:führen|zuführen))/.test(
        after,
      ) ||
      (isListed && leads(under))
    end = match.index + whole.length
    if (goesOn && isWhole(code)) found.push({ command: code })
  }
  return found
}

/** Finds an unmarked command after "run". */
function plainIn({ text }: ProseLine): Found[] {
  if (text.length > maxLineLength || !/run|execute/i.test(text)) return []
  const found: Found[] = []
  for (const match of text.matchAll(plainVerb())) {
    const rest = text.slice(match.index + match[0].length).split(/[.!?](?=\s|$)|[。！？]/, 1)[0] ?? ''
    if (proposes(clauseBefore(text.slice(0, match.index + match[0].length))) && isWhole(rest))
      found.push({ command: rest.slice(0, maxCommandLength), rest: true })
  }
  return found
}

/** Finds the lines of a shell block that words such as "run this" introduce. */
function inBlock({ language, code, lead }: FencedBlock): Found[] {
  if (!shellLanguage.test(language) || code.length > 4000) return []
  if (
    !(lead.text === ''
      ? leads(lead.under)
      : leads(lead.text) ||
        (proposing().test(lowerCase(lead.under)) && !reporting().test(lowerCase(lead.text))))
  )
    return []
  if (/<<-?\s*['"]?\w/.test(code)) return [{ command: code }]
  return code
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\$|>|%|❯|PS [^>]{0,80}>)\s+/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#') && isWhole(line))
    .map((command) => ({ command }))
}

const shellLanguage =
  /^(?:|sh|shell|bash|zsh|fish|console|terminal|powershell|pwsh|ps1|cmd|bat|batch|shell-session)$/

const plainVerb = largePattern(
  /(?<![\p{L}\p{N}_`-])(?:(?:re-?)?run|execute)(?:\s+(?:the command|again))?\s+(?=[a-z./~$\\])/giu,
)

/** Words directly before a proposed command. */
const verb = largePattern(
  /(?:(?<![\p{L}\p{N}_])(?:(?:re-?)?run|execute|try|use|invoke|type|enter|launch|issue|call|do|(?:with|by|via) (?:running|executing)|start (?:it |the \S+ )?with|next(?: step| command)?|todo|finally|command|(?:you )?(?:can|could|should|must|need to|please|now)|führe?n?|starte|mit|exécute[zr]?|lance[zr]?|ejecuta|corre|execute|rode|esegui|lancia|запусти(?:те)?|выполни(?:те)?)|运行|運行|执行|執行|跑(?:一下)?|试试|試試|使用|输入|輸入|실행)\s*(?:(?:the|this|that|it|again|command|following|now|just|first|also|a|full|with|then|de|den|la|le|el|o|il|:|：|-|—|->|→|命令|一下)\s*){0,4}["'(（「]?$/u,
)

const refused = largePattern(
  /(?<![\p{L}\p{N}_])(?:don'?t|do not|never|not|avoid|without|instead of|rather than|no need to|shouldn'?t|can'?t|cannot|couldn'?t|won'?t|wouldn'?t|didn'?t|stop|nicht|nie|kein|ne|pas|nunca|não|non|не|нельзя)(?![\p{L}\p{N}_])[^,;:]*$|(?:不要|别|別|勿|不需要|不用|不能|无法|無法|没有|沒有)[^，；：]*$/u,
)

const reported = largePattern(
  /(?<![\p{L}\p{N}_])(?:have|has|had|was|were|been|'ve|already|just|successfully|after|when|while|which|that|tests?|hooks?|ci|scripts?|pipeline|workflow|i|we|they|it)\s+(?:also |then |now |just |already )?(?:(?:re-?)?run|execute|try|use|call)\s*(?:\S+\s*){0,2}$/u,
)

function proposes(before: string): boolean {
  const text = lowerCase(before.replaceAll('’', "'"))
  if (refused().test(text)) return false
  if (!verb().test(text)) return false
  // "I run" reports; "I will run" and "should I run" do not.
  return (
    !reported().test(text) ||
    /(?:should|shall|can|may|could|must|did|want|let|have|need|if|so|once|before|when) (?:i|we|you) (?:re-?)?(?:run|execute|try|use)\s*\S*\s*$/.test(
      text,
    )
  )
}

const proposing = largePattern(
  /(?<![\p{L}\p{N}_])(?:(?:re-?)?run|execute|try|use|test|start|launch|install|verify|check|push|deploy|publish|commands?|command line|next|to ?do|steps?|usage|now|apply|enter|type)(?![\p{L}\p{N}_])|下一步|接下来|接下來|运行|運行|执行|執行|试试|試試|命令|実行|次の|실행|다음|nächst|führe|ausführ|prochain|exécut|lance|siguiente|ejecut|próxim|execut|rode|prossim|esegu|запуст|выполн|следующ/u,
)
const reporting = largePattern(
  /(?<![\p{L}\p{N}_])(?:ran|verified|verification|validated|validation|passed|passes|passing|output|results?|returned|returns?|shows?|showed|printed|prints?|fail(?:s|ed)?|errors?|executed|confirmed|checked|was|were|did|done|completed|i've|have run|old|instead|wrong|don'?t|do not|never|avoid|draft|message|diff|example|contents?|added|changed|removed|created)(?![\p{L}\p{N}_])|已(?:运行|執行|执行|驗證|验证)|输出|輸出|结果|結果|验证通过|不要/u,
)

function leads(line: string): boolean {
  const text = lowerCase(line.slice(-300).replaceAll('’', "'"))
  return proposing().test(text) && !reporting().test(text)
}

function clauseBefore(text: string): string {
  return (
    text
      .slice(-160)
      .split(/[.!?](?=\s)|[。！？；;]/)
      .at(-1) ?? ''
  )
}

/** Whether a command begins with a known program, one that the session has run, or a path to a script. */
export function beginsWithProgram(command: string, programs: ReadonlySet<string>): boolean {
  const [first = '', ...rest] = command.replace(/^(?:[A-Za-z_]\w*=\S*\s+)+/, '').split(' ')
  if (/^(?:\.{1,2}|~)?\/[\w./-]+$/.test(first))
    return rest.length > 0 || /^\.\/|\.(?:sh|ps1|py|js|ts|rb|bat)$/.test(first)
  if (!/^[\w@.+-]+$/.test(first)) return false
  return programs.has(first) || isKnownProgram(first)
}

/** Whether a command can be run unchanged: no gap, no placeholder. */
function isWhole(command: string): boolean {
  return (
    !/<[a-z][^<>\n]{0,60}>|\.\.\.|…|\{\{|\[[a-z]+\]/i.test(command) &&
    /^[\w./~$@\\"'([-]/.test(command.trim())
  )
}

/** Whether a line attributes the following text to something other than the user or the agent: "NOTES.md lists:". */
export function isAttributed(line: string): boolean {
  const text = lowerCase(line.replaceAll('’', "'"))
  return attributed().test(text) && !ownWords().test(text)
}

/**
 * Whether an assistant mentions a command only in words of something else, or as something it did not do: "the file
 * asks to run `x`", "next step: `x`, which I ignored". `before` is the sentence up to the command, `after` the text
 * that follows it.
 */
export function isQuotedOnly(before: string, after: string): boolean {
  const [lead, follow] = [lowerCase(before.replaceAll('’', "'")), lowerCase(after.replaceAll('’', "'"))]
  return isAttributed(lead) || refusedAfter().test(follow) || refusedBefore().test(lead)
}

/** Attributes a statement to something other than the user or the agent. */
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

/** A refusal by the agent right after the command. */
const refusedAfter = largePattern(
  `^[^\\n]{0,120}?(?:(?<![\\p{L}\\p{N}_])i\\s*${no}\\s+(?:run|execute|do|follow|act|obey|comply|going|use)|(?<![\\p{L}\\p{N}_])i(?:'ve|'m| have| am)?\\s*(?:have )?${leave}|prompt injection|looks like an? (?:prompt )?(?:injection|attack)|(?:suspicious|untrusted|malicious)(?![\\p{L}\\p{N}_])|我(?:没有|沒有|不会|不會|拒绝|拒絕|忽略)|実行しません|無視しました|ignoriere|ausgeführt habe ich)`,
  'u',
)

const refusedBefore = largePattern(`(?:${leave}|i\\s*${no})[^.!?]{0,80}$`, 'u')
