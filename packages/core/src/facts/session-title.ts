import { cleanLine } from '../session/clean-text.ts'
import type { SessionEvent } from '../session/event.ts'
import type { Session } from '../session/session.ts'
import { isErrand, isRemark, onlyGoesOn, wantsToKnow } from './answers/errands.ts'
import { sentenceTexts } from './constraints/sentences.ts'
import { isExit, isHarnessCommand } from './state/harness-commands.ts'
import { askingPart } from './state/last-turn.ts'
import { topicWords } from './statements/words.ts'

const maxTitle = 60

/** How many requests are read: one of the first says what the work is about. */
const maxRequests = 20

/**
 * Returns the title of a session: the one that its agent gave it, otherwise the first request that says what the work
 * is about, or the first of all. If that is a remark, a question or an errand that names nothing, and the branch is
 * named after the work, the name of the branch. Undefined if nobody asked for anything.
 */
export function sessionTitle({
  title,
  events,
  branch,
}: Pick<Session, 'title' | 'events' | 'branch'>): string | undefined {
  const given = shortTitle((title ?? '').replace(/^\/[\w:-]+\s+(?=\S+ \S)/, ''))
  // What an agent takes for a title may be the answer that it asked for, in JSON, or "continue".
  if (given !== undefined && !resumes.test(given) && !/^[{[]/.test(given)) return given
  const requests: string[] = []
  for (const event of events) {
    if (!isRequest(event) || event.text.trim() === '') continue
    const found = titleOf(event.text)
    if (found !== undefined) return (saysLittle(found) ? branchTitle(branch) : undefined) ?? found
    if (requests.push(event.text) >= maxRequests) break
  }
  return requests[0] === undefined ? given : shortTitle(requests[0].replace(envelope, ''))
}

/** A remark, a question or an errand without a name says little of the work. */
function saysLittle(request: string): boolean {
  return (
    isRemark(request) || wantsToKnow.test(request) || (isErrand(request) && !/[\d`_/]|\w\.\w/.test(request))
  )
}

/** `ana/kiln-12-log-the-heat-curve` as "KILN-12: log the heat curve"; undefined for a name of fewer than three words. */
function branchTitle(branch = ''): string | undefined {
  const name = branch.slice(branch.lastIndexOf('/') + 1)
  const [, id, rest = name] = /^([a-z]{2,10}-\d{1,6})[-_](.+)$/i.exec(name) ?? []
  const words = rest.split(/[-_]/).filter((word) => /^\p{L}/u.test(word))
  if (words.length < leastWords) return undefined
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
/** `UTF-8` is no ticket. */
const standard =
  /^(?:AES|ASCII|BASE|CP|CVE|CWE|DDR|ECMA|ED|EIP|ERC|ES|EU|GPT|HMAC|HTTP|IEC|IEEE|ISO|JEP|LATIN|MD|MP|PEP|PKCS|RFC|RSA|SHA|TLS|UCS|UTF|WCAG)-/

/** Returns the first sentence of a text as a title of at most 60 characters; undefined for a text without words. */
export function shortTitle(text: string): string | undefined {
  const line = withShortNames(cleanLine(sentenceTexts(text)[0] ?? text))
  if (line === '') return undefined
  if (line.length <= maxTitle) return line.replace(/[.:：。]$/, '')
  const cut = line.slice(0, maxTitle - 1)
  const end = Math.max(cut.search(/\s\S*$/), 0)
  return `${cut.slice(0, end > maxTitle / 2 ? end : undefined).replace(/[\s,;:–—-]+$/, '')}…`
}

/** Writes links by their text, long paths and addresses by their last part: they take the room of what is said about them. */
export function withShortNames(line: string): string {
  return line
    .replace(/\[([^\]]{1,200})\]\([^)]{1,400}\)/g, '$1')
    .replace(/(?<=^|[\s`"'(])@?(?:https?:\/\/)?(?:[\w.@~-]*\/){2,}([\w.@-]+)\/?(?=$|[\s`"'),.:;?!])/g, '$1')
}

function isRequest(event: SessionEvent): event is SessionEvent & { readonly text: string } {
  if (event.agent !== 'main' || event.copied === true) return false
  return (
    event.type === 'user' || (event.type === 'context' && (event.origin === 'agent' || event.name === 'plan'))
  )
}

function titleOf(text: string): string | undefined {
  const start = text.slice(0, 4000).replace(envelope, '')
  if (isExit(start) || isHarnessCommand(start)) return undefined
  if (command.test(start)) return shortTitle(start)
  const heading = /^#{1,3} +(?:plan: *)?(.{3,200})$/im.exec(start)?.[1]
  const request = askingPart(withoutMarkup(start)).replace(/^\/[\w:-]+\s*/, '')
  // "Implement the following plan:" is about the plan.
  if (heading !== undefined && /^[^\n]{0,80}\bplan\b[^\n]{0,40}\n|^#/i.test(request))
    return shortTitle(heading)
  const telling = sentenceTexts(request).flatMap((sentence) => {
    const words = sentence.replace(polite, '').replace(/^[`*_"“\s]+/, '')
    return greets.test(words) || onlyGoesOn.test(words) || resumes.test(words) || !isTelling(words)
      ? []
      : [
          words.length < sentence.length
            ? { words: words.replace(/[?？]$/, ''), asks: true }
            : { words, asks: false },
        ]
  })
  const [first] = telling
  const near = telling.slice(0, maxRemarks)
  // What is there, what to read first and what not to do come before what is asked for.
  const asked =
    first !== undefined && (isRemark(first.words) || prepares.test(first.words))
      ? near.find(({ words, asks }) => (asks || prepares.test(first.words)) && !prepares.test(words))
      : first
  const short = shortTitle((asked ?? first)?.words ?? '')
  return short === undefined ? undefined : capital(short)
}

/** With a capital if it begins with a plain word. */
function capital(title: string): string {
  return title.replace(/^\p{Ll}(?=[\p{L}'’-]*(?:[\s,:;!?…]|$))/u, (letter) => letter.toUpperCase())
}

/** Sentences of a message that may only say how things are, before the one that asks. */
const maxRemarks = 4

const prepares = /^(?:(?:first,? )?(?:read|open|look (?:at|into))|do not|don['’]t|never)\b/i

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

/** Names of uploaded files and the like, which a harness puts before the words, and code. */
function withoutMarkup(text: string): string {
  const words = text.replace(/<([a-z][\w-]{0,40})>[^<]{0,400}<\/\1>/gi, ' ').trim()
  return words === '' ? text : words
}

const polite =
  /^(?:(?:ok(?:ay)?|hi|hey|hello|so|well|alright|please|pls|now|and|then|yes)[,.!]? +)*(?:(?:can|could|would|will) (?:you|we)(?: please)? +|i(?:['’]d| would)? (?:like|want|need) (?:you )?to +|let['’]?s +|please +|bitte +|kannst du (?:bitte )?|peux-tu +|puedes +|você pode +|puoi +|(?:请|請)?你?(?:帮我|幫我)|请|請)?/iu

/** What the work is about was said in an earlier session, or in the plan that follows. */
const resumes =
  /^(?:implement|execute|carry out|follow) (?:the|this) (?:following )?plan\b|\b(?:where (?:did )?(?:we|i|you) (?:were|left|are|stopped)|where were we|left off|what did we do last|resume (?:the )?(?:work|session))\b/i
