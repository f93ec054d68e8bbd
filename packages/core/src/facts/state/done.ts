import { cleanLine } from '../../session/clean-text.ts'
import { eventIndex, type SessionEvent } from '../../session/event.ts'
import { commandParts } from '../commands/next-command.ts'
import { splitSentences } from '../constraints/sentences.ts'
import type { Facts } from '../facts.ts'
import { findIdentifiers } from '../identifiers/find-identifiers.ts'
import { shareOf, topicWords } from '../statements/words.ts'

/** What a session did, as far as it can end open steps. */
export interface Work {
  /** Commands that succeeded, and the parts of chains. */
  readonly commands: ReadonlySet<string>
  /** Topic words of what was said or recorded to be done: messages, commits, tasks, answered requests. */
  readonly done: readonly ReadonlySet<string>[]
  /** Files that were created or changed. */
  readonly changed: readonly string[]
}

const claims =
  /\b(?:done|added|wrote|written|created|implemented|fixed|finished|completed|removed|deleted|updated|moved|renamed|changed|replaced|installed|committed|pushed|released|merged|migrated|documented|now (?:passes|pass|works?|handles?|supports?|has|have|is|are)|passes now|in place|erledigt|fertig|hinzugefügt|geschrieben|erstellt|behoben|umgesetzt|aktualisiert|ajoutée?s?|écrite?s?|créée?s?|corrigée?s?|terminée?s?|faite?s?|añadid[oa]s?|escrit[oa]s?|cread[oa]s?|corregid[oa]s?|terminad[oa]s?|hech[oa]s?|aggiunt[oaie]|scritt[oaie]|creat[oaie]|corrett[oaie]|fatt[oaie]|adicionad[oa]s?|criad[oa]s?|corrigid[oa]s?|feit[oa]s?)(?![\p{L}])|(?:добавл|написа|создан|исправ|готово|сделан|完成|已添加|已修复|写好|追加しました|作成しました|修正しました|完了|추가했|완료|수정했)/iu

const notDone =
  /\b(?:not|never|no|next|todo|still|remain(?:s|ing)?|would|will|should|could|cannot|later|before|until|if|nicht|noch|nächste[rs]?|pas|prochaine?|encore|todavía|próximo|ancora|prossimo|ainda)(?![\p{L}])|n['’]t\b|(?:не |ещё|下一步|还没|尚未|次に|まだ|아직|다음)/iu

/** Returns what was done after an event that can end open steps. */
export function workOf(
  events: readonly SessionEvent[],
  facts: Pick<Facts, 'commands' | 'files' | 'git' | 'tasks' | 'state'>,
  since = -1,
): Work {
  const isLater = (event: SessionEvent['id'] | undefined) => event !== undefined && eventIndex(event) > since
  const own = events.filter(
    ({ id, copied, inContext }) => copied !== true && inContext !== false && isLater(id),
  )
  const ran = facts.commands.filter(({ call, status }) => status === 'ok' && isLater(call))
  const changed = facts.files.filter(({ status, lastEdit }) => status !== 'read' && isLater(lastEdit))
  const commits = facts.git.commits.filter(({ event }) => isLater(event))
  const worked = changed.length > 0 || commits.length > 0 || ran.length > 0
  const asked =
    worked && facts.state?.state === 'finished'
      ? own.flatMap((event) => (event.type === 'user' ? plainSentences(event.text) : []))
      : []
  return {
    commands: new Set(
      ran.flatMap(({ command }) => [cleanLine(command), ...commandParts(cleanLine(command))]),
    ),
    done: [
      ...(worked ? own.flatMap(claimsIn) : []),
      ...commits.map(({ subject }) => topicWords(subject ?? '')),
      ...facts.tasks
        .filter(({ status, event }) => (status === 'completed' || status === 'cancelled') && isLater(event))
        .map(({ text }) => topicWords(text)),
      ...asked,
    ],
    changed: changed.map(({ path }) => path),
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
    .filter((sentence) => !sentence.quoted && !notDone.test(sentence.text) && !/[?？]$/.test(sentence.text))
    .map((sentence) => topicWords(sentence.text))
}

/** An open step. */
export interface OpenStep {
  readonly text: string
  readonly command?: string | undefined
}

/**
 * Whether a step was done: its command succeeded and the files that it names were changed, or it is said in other words
 * that it is done.
 */
export function isDone({ text, command }: OpenStep, { commands, done, changed }: Work): boolean {
  const code = [...text.matchAll(/`([^`\n]{2,400})`/g)].map(([, span = '']) => cleanLine(span))
  const wanted = command === undefined ? code : [cleanLine(command)]
  const ran = wanted.some((line) => commands.has(line))
  if (command !== undefined && !ran && isCheck.test(text)) return false
  const words = topicWords(text.replace(/`[^`\n]*`/g, ' ').replace(label, ''))
  const files = filesIn(text)
  const areChanged = files.every((file) => changed.some((path) => `/${path}`.endsWith(`/${file}`)))
  if (ran && areChanged) return true
  const minShare = files.length > 0 && areChanged ? minShareOfChanged : minShareOfSaid
  return words.size > 0 && done.some((said) => shareOf(words, said) >= minShare)
}

/** Only a success ends it. */
const isCheck = /^Make it pass: /

/** What a step says of its place. */
const label = /^(?:Make it pass|Open(?: question)?|Next(?: steps?)?|Carry out the approved plan): /i

function filesIn(text: string): string[] {
  return findIdentifiers(text).flatMap(({ kind, text: path }) =>
    kind === 'path' && /\.\w+$/.test(path) ? [path.replace(/^\.?\//, '')] : [],
  )
}

/** Share of the words of a step that say that it is done, also if all files that it names were changed. */
const minShareOfSaid = 0.6
const minShareOfChanged = 0.34
