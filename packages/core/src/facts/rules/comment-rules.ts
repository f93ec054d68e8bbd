import { largePattern } from '../../session/large-pattern.ts'

/**
 * Whether a sentence of a comment instructs those who edit or call the code. Most comments describe what the code does
 * ("never returns nil", "always wins"), and bind nobody. A comment in a test describes expectations, so only orders
 * count there. Linear time.
 */
export function isCommentRule(sentence: string, inTest: boolean): boolean {
  if (!binding().test(sentence)) return false
  return isOrder(sentence) || (!inTest && binds(sentence))
}

/** Words without which no pattern below matches: most comments have none of them. */
const binding = largePattern(
  /\b(?:never|always|do not|don['’]t|make sure|be sure|remember to|beware|keep|must|should|shall|may|note|important|warning|caution|security|safety|danger|deprecated|by design|on purpose|load-bearing|not thread|for backward|(?:call|update|change|adjust|bump|extend)\s(?:th|both))|^(?:if|when|before|after)/i,
)

/** Whether a path is that of a test, by the conventions of the common languages. */
export function isTestPath(path: string): boolean {
  return testPath.test(path.replaceAll('\\', '/'))
}

const testPath =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|fixtures?)\/|[._-](?:tests?|spec)\.\w{1,10}$|(?:^|\/)(?:test_[^/]{1,200}\.py|conftest\.py)$|[a-z](?:Tests?|Spec)\.\w{1,10}$/

/** Where an order begins: the sentence, its last part, or the text after a condition. */
const orderStart = String.raw`(?:^(?:[-*]\s|\*{1,2})?|[;!]\s|\s[—–-]{1,2}\s|,?\sso\s|^(?:If|When|Whenever|Before|After|Unless)\b[^,]{1,200},\s|(?:^|\s)(?:NOTE|IMPORTANT|WARNING|CAUTION|SECURITY|SAFETY|INVARIANT|DANGER|XXX)\b[^:]{0,20}:\s|\bplease\s)`

const neverOrAlways = largePattern(
  String.raw`${orderStart}(?:please\s)?(never|always)\s(?:\w+ly\s)?([a-z]+)\b(?!-)`,
  'gi',
)
const doNot = largePattern(
  String.raw`${orderStart}(?:please\s)?(?:do not|don['’]t (?:use|call|edit|change|remove|rename|move|import|rely|touch|modify|delete|commit)|make sure|be sure|remember to|beware)\b`,
  'i',
)

/** Verbs after "always" that address those who use or edit the code; other verbs describe the code. */
const asked =
  /^(?:use|call|pass|run|prefer|update|add|check|validate|escape|sanitize|sanitise|wrap|close|release|hold|keep|regenerate|go|import|register|calculate|compute|set|make|ensure|test|quote|pin|await|lock|document|specify|provide|give|write|log|redact|encrypt|verify|start|begin|ask)$/i
const keepOrUpdate = largePattern(
  String.raw`${orderStart}(?:keep\b.{0,80}\b(?:in (?:sync|step|lockstep)|aligned|sorted|up to date|invariants?)|(?:update|change|adjust|bump|extend)\s(?:this|these|both|the)\b.{0,80}\b(?:if|when|whenever|too|as well)\b)`,
  'i',
)
/** Words after "never" or "always" that do not order anything: no verbs, or verbs in the third person or the passive. */
const noOrder =
  /^(?:\w*[^s]s|\w+(?:ed|ing)|an?|the|any|all|at|as|be|been|before|after|again|both|broken|built|by|chosen|done|either|empty|exactly|false|for|found|from|given|gone|has|held|hidden|in|is|it|just|kept|known|left|less|lost|made|merely|more|nil|none|not|null|of|on|only|one|over|present|safe|seen|sent|shown|taken|thrown|to|true|undefined|via|was|we|when|with|written|zero)$/i

function isOrder(sentence: string): boolean {
  if (tags.test(sentence) || doNot().test(sentence) || keepOrUpdate().test(sentence)) return true
  if (/\byou (?:must|should(?: not|n['’]t)|shall)\b/i.test(sentence)) return true
  for (const [, word = '', verb = ''] of sentence.matchAll(neverOrAlways()))
    if (!noOrder.test(verb) && (/^never$/i.test(word) || asked.test(verb))) return true
  return false
}

const tags = /(?:^|\s)@(?:security|deprecated)\b|^Deprecated:\s/

/** Binds people without being an order. */
const duty = largePattern(
  [
    // "Callers must pass it through …", "production code must not …"
    String.raw`\b(?:callers?|consumers|implementations?|implement[eo]rs?|subclasses|deployments|contributors|developers|maintainers|authors|production(?:\s\w+)?|new (?:code|tests?))(?:\s[^.,;:()]{1,60})?\s(?:must|shall|should|may)(?:\s(?:not|never|only|always|still|also)|n['’]t)?(?::|\s(?!exist|be\sable)\w)`,
    // "only auth/* may import", "may only be called from"
    String.raw`\bonly\b.{0,40}\bmay\s[a-z]`,
    String.raw`\b(?:may|must|should)\s(?:only|never|not)\sbe\s(?:called|changed|committed|deleted|edited|imported|invoked|logged|modified|mutated|removed|set|used)\b`,
    String.raw`\b(?:call|update) this\s(?:\w+\s)?(?:after|before|if|when|whenever|once|only)\b`,
    String.raw`\b(?:must|should)\s(?:\w+\s)?be\skept\b`,
    // "Intentional: hooks must be silent on failure"
    String.raw`^(?:intentional|by design|on purpose)\b.*\bmust\b`,
    String.raw`\b(?:kept|retained|left|named)\b.{0,80}\bfor backwards?[- ]compat`,
  ].join('|'),
  'i',
)

/** "must stay in step", "must be called before": invariants for those who change the code, not for a value. */
const invariant = largePattern(
  /\bmust\s(?:(?:always|still|also|exactly|all|both)\s)?(?:stay|remain|match|mirror|agree|keep|gain|happen|precede|come (?:after|before|first|last)|run (?:after|before|first|last)|be (?:called|changed|closed|documented|driven|edited|freed|held|in (?:sync|step|lockstep)|invoked|mirrored|registered|regenerated|released|repeated|run|sorted|updated)|(?:not|never) (?!be (?!\w+ed\b)|carry|contain|embed|exceed|have|include|start|end|match|exist|already)[a-z])/i,
)

function binds(sentence: string): boolean {
  return duty().test(sentence) || (invariant().test(sentence) && !/\b(?:otherwise|or else)\b/.test(sentence))
}

/** Longer statements are paragraphs that no list has room for. */
const longest = 400

/** Texts that address a model about its own instructions, which no project rule does. */
const aboutModel = largePattern(
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines|above|previous)\b|\b(?:system prompt|you are now|jailbreak|new instructions?)\b/i,
)

/** `#[pr_number]`, `[file_path:line_number]`: placeholders of a template. */
const placeholder = /\[[a-z]+(?:[_:][a-z]+)+\](?!\()|#\[[a-z]|<[a-z]+(?:_[a-z]+)+>/

/** A name in other words: `repo` → `/home/me/repo`. */
const alias = /^\S{1,60} (?:→|->|=>|⇒) \S{1,200}$/

const permission =
  /\b(?:you|users?) (?:do not|don['’]t) (?:need|have) to\b|\bfor (?:more|further) (?:information|details|help)\b/i

/** An agent's words about its own work, and what was rejected. */
const noDemand =
  /\bI (?:need|will|can|am|have|think|see|should)\b|\bI (?:do not|don['’]t|won['’]t|can['’]t) |\bI['’](?:m|ll|ve|d)\b|^\W*(?:Rejected|Stderr|Not chosen|Alternatives?|Example|For example|e\.g\.|Scar|Why|Reason|Rationale|Background|Consequence)\W{0,2}[:,]/

/** A label in bold with at most a remark after it, which is a heading. */
const bareLabel = /^\*\*[^*]{1,80}[^*.!]\*\*:?(?: \([^)]{1,60}\))?$/
const strongLabel = /\b(?:must|never|always|do not|don['’]t|required|mandatory|forbidden)\b/i

/** Whether a text can be a rule by its form: not a question or heading, and not addressed to a model. */
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
