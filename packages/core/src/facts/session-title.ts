import { cleanLine } from '../session/clean-text.ts'
import type { SessionEvent } from '../session/event.ts'
import type { Session } from '../session/session.ts'
import { newText } from '../tools/given-text.ts'
import { isErrand, onlyGoesOn } from './answers/errands.ts'
import { sentenceTexts } from './constraints/sentences.ts'
import { askingPart, asksNothing } from './state/last-turn.ts'
import { topicWords } from './statements/words.ts'

const maxTitle = 60

/** Maximum number of requests that are read: one of the first names the work. */
const maxRequests = 20

/**
 * Returns the title of a session: the one from its agent, otherwise the first request if it names work. Otherwise the
 * name that the work got elsewhere (the branch, a pull request, a commit), or the request after one that only names
 * what to read. Undefined if nobody requested anything.
 */
export function sessionTitle({
  title,
  events,
  branch,
}: Pick<Session, 'title' | 'events' | 'branch'>): string | undefined {
  const given = shortTitle((title ?? '').replace(/^\/[\w:-]+\s+(?=\S+ \S)/, ''))
  // An agent's title may be the JSON answer that it requested, or "continue".
  if (given !== undefined && !resumes.test(given) && !/^[{[]/.test(given)) return given
  const requests: string[] = []
  const telling: Told[] = []
  for (const [at, event] of events.entries()) {
    if (!isRequest(event) || event.text.trim() === '') continue
    const next = events[at + 1]
    // The prompt behind a command contains its request; that of a skill begins with its folder.
    const isPrompt = /^\s*\/[\w:-]+\s*$/.test(event.text) && next?.type === 'context' && next.name === 'meta'
    if (isPrompt && /^(?!Base directory)\p{L}/u.test(next.text))
      telling.push(...titleOf(next.text).filter(({ names }) => names))
    // The giver of an agent's task describes it.
    telling.push(
      ...titleOf(event.text).map((told) => ({ ...told, names: told.names || event.type !== 'user' })),
    )
    if (telling.length > 1 || telling[0]?.leads === false) break
    if (requests.push(event.text) >= maxRequests) break
  }
  const [first, next] = telling
  if (first?.names === true) return first.title
  const named = branchTitle(branch) ?? subjectOf(events)
  if (first !== undefined) return named ?? (next?.names === true ? next : first).title
  return requests[0] === undefined ? given : (named ?? shortTitle(requests[0].replace(envelope, '')))
}

interface Told {
  readonly title: string
  /** Whether it requests work with a name. */
  readonly names: boolean
  /** Only names what to read, or announces the work. */
  readonly leads: boolean
}

/** Returns the title of a session's first pull request, otherwise of its first plan, otherwise of its first commit. */
function subjectOf(events: readonly SessionEvent[]): string | undefined {
  let [plan, commit]: (string | undefined)[] = []
  for (const event of events.slice(0, maxSearched)) {
    if (event.copied === true) continue
    if (event.type === 'tool_call') {
      const input = JSON.stringify(event.input ?? '')
      const opened = opensRequest.exec(input.slice(0, 4000))?.[1]
      if (opened !== undefined) return shortTitle(opened)
      if (plan === undefined && planFile.test(input)) plan = planTitle(newText(event.input))
    } else if (event.type === 'tool_result' && commit === undefined)
      commit = [committed.exec(event.text.slice(0, 4000))?.[1] ?? ''].find(isTelling)
  }
  const name = plan ?? commit
  return name === undefined ? undefined : shortTitle(name)
}

/** Maximum events that are searched in one go. */
const maxSearched = 10_000

const planFile = /"[^"\s]{0,300}\b(?:plan|plans|spec|specs|design|proposal|prd|rfc)\b[^"\s]{0,200}\.md"/i
const opensRequest = /\bgh pr create\b.{0,200}?(?:--title|-t)[ =]\\?["']([^"'\\$]{10,200})/
const committed =
  /^\[[\w./-]{1,100}(?: \([^)\n]{1,40}\))? [\da-f]{7,40}\] (?!merge\b|revert\b|wip\b|initial commit\b|fixup!)(\S+ \S.{4,200})$/im

/** Returns `ana/kiln-12-log-the-heat-curve` as "KILN-12: log the heat curve"; undefined for fewer than three parts. */
function branchTitle(branch = ''): string | undefined {
  const name = branch.slice(branch.lastIndexOf('/') + 1)
  const [, id, rest = name] = /^([a-z]{2,10}-\d{1,6})[-_](.+)$/i.exec(name) ?? []
  const words = rest.split(/[-_]/).filter((word) => /^\p{L}/u.test(word))
  if (words.length + (id === undefined ? 0 : 1) < leastWords) return undefined
  return shortTitle(id === undefined ? capital(words.join(' ')) : `${id.toUpperCase()}: ${words.join(' ')}`)
}

const leastWords = 3

/** Returns the ticket that the first request begins with, such as `AUTH-7`, otherwise the only one that it names early. */
export function sessionTicket({ events }: Pick<Session, 'events'>): string | undefined {
  const first = events.find((event) => isRequest(event) && isTelling(event.text.slice(0, maxNear)))
  const start = first?.type === 'user' ? first.text.slice(0, maxNear).replace(/^\W+/, '') : ''
  const [one, ...others] = new Set(start.match(ticket)?.filter((name) => !standard.test(name)))
  return others.length === 0 || (one !== undefined && start.startsWith(one)) ? one : undefined
}

const maxNear = 400
const ticket = /(?<![\w/.-])[A-Z][A-Z0-9]{1,9}-\d{1,6}(?![\w-]|\.\w)/g
/** `UTF-8` is not a ticket. */
const standard =
  /^(?:AES|ASCII|BASE|CP|CVE|CWE|DDR|ECMA|ED|EIP|ERC|ES|EU|GPT|HMAC|HTTP|IEC|IEEE|ISO|JEP|LATIN|MD|MP|PEP|PKCS|RFC|RSA|SHA|TLS|UCS|UTF|WCAG)-/

/** Returns the first sentence of a text as a title of at most 60 characters; undefined for a text without words. */
export function shortTitle(text: string): string | undefined {
  const sentence = cleanLine(sentenceTexts(text)[0] ?? text).replace(address, '$1')
  const line = withShortNames(sentence)
  if (line === '') return undefined
  if (line.length <= maxTitle) return line.replace(/[.:：。]["”]?$/, '')
  const cut = line.slice(0, maxTitle - 1)
  const end = Math.max(cut.search(/\s\S*$/), 0)
  return `${cut.slice(0, end > maxTitle / 2 ? end : undefined).replace(hanging, '')}…`
}

/** Words at a cut that only introduce what follows. */
const hanging =
  /(?:[\s,;:(–—-]+(?:an?|and|are|as|at|based on|but|by|for|from|in|is|of|on|or|so|that|the|then|to|which|with))*[\s,;:(–—-]*$/

/** Returns the heading of a plan, without the word for the kind of document. */
export function planTitle(text: string): string | undefined {
  return /^#{1,3} +(?:(?:\w+ )?(?:plan|assessment|analysis|proposal) *[:–—-] *)?(.{12,200})$/im.exec(
    text,
  )?.[1]
}

/** Moves a list onto the line of the sentence that continues after it: "look at", two files, "and mend both". */
export function withListInline(text: string): string {
  return text.replace(
    /(?<=[\p{L}\p{N}])\s{0,9}\n((?:\s{0,9}[-*•] [^\n]{1,200}\n){1,8})\s{0,9}(?=(?:and|then|to|for|in|with)\b)/giu,
    (_, items: string) =>
      ` ${items
        .trim()
        .replace(/^[-*•] /, '')
        .replace(/\n\s*[-*•] /g, ', ')} `,
  )
}

/** Replaces links by their text, and long paths by their last part, to save room. */
export function withShortNames(line: string): string {
  return line
    .replace(/\[([^\]]{1,200})\]\([^)]{1,400}\)/g, '$1')
    .replace(/(?<=^|[\s`"'(])@?(?:[\w.@~-]*\/){2,}([\w.@-]+)\/?(?=$|[\s`"'),.:;?!])/g, '$1')
}

/** An address, of which a title has room for the last part. */
const address = /(?<=^|[\s`"'(])@?https?:\/\/(?:[\w.@~:-]*\/)+([\w.@-]+)\/?(?=$|[\s`"'),.:;?!])/g

function isRequest(event: SessionEvent): event is SessionEvent & { readonly text: string } {
  if (event.agent !== 'main' || event.copied === true) return false
  return (
    event.type === 'user' || (event.type === 'context' && (event.origin === 'agent' || event.name === 'plan'))
  )
}

/** Returns what a request shows of the work: its first sentence that requests some, otherwise its first; or nothing. */
function titleOf(text: string): Told[] {
  const start = text.slice(0, 4000).replace(envelope, '')
  if (asksNothing(start)) return []
  if (command.test(start)) return told(start, false, false)
  const heading = planTitle(start)
  const request = askingPart(withListInline(withoutMarkup(start))).replace(/^\/[\w:-]+\s*/, '')
  // "Implement the following plan:" is about the plan.
  if (heading !== undefined && /^[^\n]{0,80}\bplan\b[^\n]{0,40}\n|^#/i.test(request))
    return told(heading, true, false)
  const sentences = sentenceTexts(request).flatMap((sentence) => {
    const bare = sentence.replace(/^[`*_"“\s]+/, '').replace(beforeAsking, '')
    const words = bare.replace(polite, '')
    if (greets.test(words) || onlyGoesOn.test(words) || resumes.test(words) || !isTelling(words)) return []
    const asks = words.length < bare.length
    return [{ words: asks ? words.replace(/[?？]$/, '') : words, asks }]
  })
  const [first] = sentences
  if (first === undefined) return []
  // Descriptions, what to read first and what not to do come before the request.
  const asked = sentences
    .slice(0, maxRemarks)
    .find((each) => (each === first || each.asks || prepares.test(first.words)) && namesWork(each.words))
  const best = asked ?? sentences.find(({ words }) => !leadsIn(words)) ?? first
  const names =
    asked !== undefined && !/^\S+ (?:it|that|them|(?:this|these)(?! (?!please)\w{5}))\b/i.test(asked.words)
  return told(best.words, names, leadsIn(first.words))
}

function told(words: string, names: boolean, leads: boolean): Told[] {
  const title = shortTitle(words)
  return title === undefined ? [] : [{ title: capital(title), names, leads }]
}

/** Whether a sentence requests work, and names it. */
function namesWork(sentence: string): boolean {
  const words = sentence.replace(circumstance, '')
  if (noRequest.test(words) || leadsIn(words) || /^(?:\S{0,200}[/\\]|[[<])\S|^\S+\.\w+ /.test(words))
    return false
  return !isErrand(words) || /[\d`_/]|\w\.\w/.test(words)
}

/** "In git-x is a tool that does the same, can you …" */
const beforeAsking =
  /^(?:in|on|at|for|from|with|when|if|after|before|since|looking at)\b.{0,200}?[,;:] (?=(?:can|could|would) (?:you|we)\b)/i

/** "On a small screen, …" */
const circumstance = /^(?:in|on|at|for|from|with|when|if|after|before|since|looking at)\b[^,]{0,80}, */i

/** Words with which a sentence describes, asks or refers back. A request begins with a verb or a thing. */
const noRequest =
  /^(?:i|we|you|he|she|it|they|this|that|these|those|there|here|my|our|your|its|the|what|why|how|where|when|who|which|whether|if|since|because|as|but|yes|no|not|looking|context|for|in|on|at|from|with|after|before|so|hm+|is|are|was|were|do (?:we|you|i|they|this|that|it|both|all)|does|did|has|have|had|can|could|would|will|should)(?![\p{L}\p{N}_/.-])/iu

/** Capitalizes a title that begins with a plain word. */
function capital(title: string): string {
  return title.replace(/^\p{Ll}(?=[\p{L}'’-]*(?:[\s,:;!?…]|$))/u, (letter) => letter.toUpperCase())
}

/** Maximum sentences of a message that only describe something before the request. */
const maxRemarks = 4

/** Whether words only name what to read or what not to do, or announce the work. */
function leadsIn(words: string): boolean {
  return prepares.test(words) || /\b(?:this|these|the following)\b[^:：]*[:：]$/i.test(words)
}

const prepares =
  /^(?:(?:first,? )?(?:read|open|start with|(?:take a |have a )?look (?:at|into))|do not|don['’]t|never)\b/i

/** "Good morning Claude" */
const greets =
  /^(?:good (?:morning|afternoon|evening|day)|hi|hey|hello|guten (?:morgen|tag)|bonjour|buen(?:os|as) \p{L}+|bom dia|boa \p{L}+|buongiorno|早上好|おはよう\p{L}*)(?:[ ,]+\p{L}+){0,2}[.!]*$/iu

/** The head of a message between agents: `Message Type: NEW_TASK`, its sender and so on. */
const envelope = /^\s*Message Type: [^\n]*\n(?:[A-Z][\w ]{0,40}:[^\n]*\n+)*/

/** A command with its arguments: `/review 244`. */
const command = /^\/[\w:-]+(?: [!-~]{1,20}){1,2}\s*$/

function isTelling(words: string): boolean {
  return (
    topicWords(words).size >= 2 ||
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{5}/u.test(words)
  )
}

/** Removes names of uploaded files and the like, which a harness puts before the words. */
export function withoutMarkup(text: string): string {
  const words = text.replace(/<([a-z][\w-]{0,40})>[^<]{0,400}<\/\1>/gi, ' ').trim()
  return words === '' ? text : words
}

const polite =
  /^(?:(?:ok(?:ay)?|hi|hey|hello|so|well|alright|please|pls|now|and|then|yes)[,.!]? +)*(?:(?:can|could|would|will) (?:you|we)(?: please)? +|(?:i|we)(?:['’]d| would| still| just| really)* (?:like|want|need|have) (?:you )?to +|let['’]?s +|proceed to +|please +|bitte +|kannst du (?:bitte )?|peux-tu +|puedes +|você pode +|puoi +|(?:请|請)?你?(?:帮我|幫我)|请|請)?/iu

/** The work was named in an earlier session, or in the plan that follows. */
const resumes =
  /^(?:implement|execute|carry out|follow) (?:the|this) (?:following )?plan\b|\b(?:where (?:did )?(?:we|i|you) (?:were|left|are|stopped)|where were we|left off|what did we do last|resume (?:the )?(?:work|session))\b/i
