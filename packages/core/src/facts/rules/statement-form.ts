import { largePattern } from '../../session/large-pattern.ts'

/** A longer statement is a paragraph that no list has room for. */
const longest = 400

/** Texts that speak to a model about its own instructions: no rule of a project does. */
const aboutModel = largePattern(
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines|above|previous)\b|\b(?:system prompt|you are now|jailbreak|new instructions?)\b/i,
)

/** `#[pr_number]`, `[file_path:line_number]`: a template has these, and says what to write there. */
const placeholder = /\[[a-z]+(?:[_:][a-z]+)+\](?!\()|#\[[a-z]|<[a-z]+(?:_[a-z]+)+>/

/** A name in other words: `repo` → `/home/me/repo`. */
const alias = /^\S{1,60} (?:→|->|=>|⇒) \S{1,200}$/

const permission = /\b(?:you|users?) (?:do not|don['’]t) (?:need|have) to\b/i

/** An agent that speaks of its own work, and what was turned down. */
const noDemand =
  /\bI (?:need|will|can|am|have|think|see|should)\b|\bI (?:do not|don['’]t|won['’]t|can['’]t) |\bI['’](?:m|ll|ve|d)\b|^(?:Rejected|Not chosen|Alternatives?|Example|For example|e\.g\.)[:,]/

/** A label in bold with at most a remark behind it, which is a heading. */
const bareLabel = /^\*\*[^*]{1,80}[^*.!]\*\*:?(?: \([^)]{1,60}\))?$/
const strongLabel = /\b(?:must|never|always|do not|don['’]t|required|mandatory|forbidden)\b/i

/** Whether a text can be a rule by its form: no question or heading, and nothing that speaks to a model. */
export function isStatement(text: string): boolean {
  return (
    text.length <= longest &&
    !/[?？:：]\**$/.test(text) &&
    !aboutModel().test(text) &&
    !placeholder.test(text) &&
    !alias.test(text) &&
    !permission.test(text) &&
    !noDemand.test(text) &&
    !/^\[[^\]]{1,80}\]$/.test(text) &&
    (!bareLabel.test(text) || strongLabel.test(text))
  )
}
