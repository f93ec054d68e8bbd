import { splitSentences } from '../facts/constraints/sentences.ts'
import type { Facts } from '../facts/facts.ts'
import { shareOf, topicWords } from '../facts/statements/words.ts'
import { cleanLine } from '../session/clean-text.ts'
import type { SessionEvent } from '../session/event.ts'
import type { Session } from '../session/session.ts'

/** What a session did, as far as it can end steps of an earlier one. */
export interface Work {
  /** Commands that ran, whatever came of it: the session's own bundle says how they ended. */
  readonly commands: ReadonlySet<string>
  /** Topic words of what was said or recorded to be done: messages, commits, tasks, answered requests. */
  readonly done: readonly ReadonlySet<string>[]
  readonly created: ReadonlySet<string>
  /** The session went on where the last one ended, and finished that. */
  readonly continued: boolean
}

const claims =
  /\b(?:done|added|wrote|written|created|implemented|fixed|finished|completed|removed|deleted|updated|moved|renamed|changed|replaced|installed|committed|pushed|released|merged|migrated|documented|now (?:passes|pass|works?|handles?|supports?|has|have|is|are)|passes now|in place|erledigt|fertig|hinzugefügt|geschrieben|erstellt|behoben|umgesetzt|aktualisiert|ajoutée?s?|écrite?s?|créée?s?|corrigée?s?|terminée?s?|faite?s?|añadid[oa]s?|escrit[oa]s?|cread[oa]s?|corregid[oa]s?|terminad[oa]s?|hech[oa]s?|aggiunt[oaie]|scritt[oaie]|creat[oaie]|corrett[oaie]|fatt[oaie]|adicionad[oa]s?|criad[oa]s?|corrigid[oa]s?|feit[oa]s?)(?![\p{L}])|(?:добавл|написа|создан|исправ|готово|сделан|完成|已添加|已修复|写好|追加しました|作成しました|修正しました|完了|추가했|완료|수정했)/iu

const notDone =
  /\b(?:not|never|no|next|todo|still|remain(?:s|ing)?|would|will|should|could|cannot|later|before|until|if|nicht|noch|nächste[rs]?|pas|prochaine?|encore|todavía|próximo|ancora|prossimo|ainda)(?![\p{L}])|n['’]t\b|(?:не |ещё|下一步|还没|尚未|次に|まだ|아직|다음)/iu

/** Words that a request has if it only says to go on. */
const fewWords = 2

/** Returns what a session did that can end open steps of an earlier one. */
export function workOf({ events }: Session, facts: Facts): Work {
  const own = events.filter(({ copied, inContext }) => copied !== true && inContext !== false)
  const changed = facts.files.some(({ status }) => status !== 'read')
  const worked = changed || facts.commands.some(({ status }) => status === 'ok')
  const finished = facts.state?.state === 'finished'
  const requests = own.flatMap((event) => (event.type === 'user' ? [topicWords(event.text)] : []))
  const asked = own.flatMap((event) => (event.type === 'user' ? plainSentences(event.text) : []))
  return {
    commands: new Set(
      facts.commands
        .filter(({ status }) => status === 'ok' || status === 'error')
        .map(({ command }) => cleanLine(command)),
    ),
    done: [
      ...(worked ? own.flatMap(claimsIn) : []),
      ...facts.git.commits.map(({ subject }) => topicWords(subject ?? '')),
      ...facts.tasks
        .filter(({ status }) => status === 'completed' || status === 'cancelled')
        .map(({ text }) => topicWords(text)),
      ...(worked && finished ? asked : []),
    ],
    created: new Set(facts.files.filter(({ status }) => status === 'created').map(({ path }) => path)),
    continued: worked && finished && requests.length > 0 && requests.every(({ size }) => size <= fewWords),
  }
}

function claimsIn(event: SessionEvent): ReadonlySet<string>[] {
  if (event.type !== 'assistant' || event.agent !== 'main') return []
  return splitSentences(event.text)
    .filter(({ text }) => claims.test(text) && !notDone.test(text))
    .map(({ text }) => topicWords(text))
}

/** Requests, without those that put something off or forbid it. */
function plainSentences(text: string): ReadonlySet<string>[] {
  return splitSentences(text)
    .filter((sentence) => !sentence.quoted && !notDone.test(sentence.text))
    .map((sentence) => topicWords(sentence.text))
}

/** An open step of an earlier session. */
export interface OpenStep {
  readonly text: string
  readonly command?: string | undefined
  readonly words: ReadonlySet<string>
}

/** Whether a session did a step: it ran its command, created its file, or says in other words that it is done. */
export function isDone({ text, command, words }: OpenStep, { commands, done, created }: Work): boolean {
  if (command !== undefined && commands.has(cleanLine(command))) return true
  if (words.size === 0) return false
  if (createsIn.test(text) && [...created].some((path) => namesPath(text, path))) return true
  return done.some((said) => shareOf(words, said) >= minShare)
}

const createsIn = /\b(?:create|write|add|new|erstelle|schreib|ajoute|écri|crea|escrib|scriv|cri)/i

function namesPath(text: string, path: string): boolean {
  const at = text.indexOf(path)
  return (
    at >= 0 &&
    path.length > 3 &&
    !/[\w/.-]/.test(text.charAt(at - 1)) &&
    !/\w/.test(text.charAt(at + path.length))
  )
}

const minShare = 0.6
