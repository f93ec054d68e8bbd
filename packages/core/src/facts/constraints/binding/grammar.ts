/** Why a sentence binds whoever continues the work. */
export type Binding =
  /** Something must not be done or must not be. */
  | 'prohibition'
  /** Something must or should hold. */
  | 'necessity'
  /** A rule that always holds, from now on, or by default. */
  | 'standing'
  /** How far the work may go, and what it may use. */
  | 'limit'
  /** Something remains unchanged, or is to be ensured. */
  | 'keep'
  /** A form that the user wants or chose. */
  | 'preference'
  /** An item below a heading such as "Constraints". */
  | 'listed'

/** Why a sentence does not bind, even if some of its words demand something. */
export type Refusal =
  | 'question'
  /** A report of what the user knows, does, needs or feels. */
  | 'narrative'
  /** How something behaves or fails. */
  | 'report'
  /** Something that is only being considered. */
  | 'musing'
  /** Somebody else's words. */
  | 'quote'
  /** A later sentence of the user lifted it. */
  | 'lifted'
  /** Nothing in it says that it binds: a request for one step, a remark, an answer. */
  | 'plain'

export interface BindingRule {
  readonly kind: Exclude<Binding, 'listed'>
  /** Patterns, joined by `|`; anchored to the first word of a clause if `at` is `head` or `lead`. */
  readonly patterns: readonly string[]
  /** `lead`: at the head of a clause that is not in brackets. */
  readonly at: 'head' | 'lead' | 'clause' | 'sentence'
  /** Binds only if nothing in the sentence reports or muses. */
  readonly weak?: true
}

export interface RefusalRule {
  readonly reason: 'question' | 'narrative' | 'report' | 'musing'
  readonly patterns: readonly string[]
  readonly at: 'head' | 'sentence'
  /** Refuses weak rules only. */
  readonly weakOnly?: true
}

/** The words by which a language marks demands and other sentences. Patterns are in lower case, and match a text in any. */
export interface Grammar {
  readonly language: string
  /** Frequent words that distinguish the language from others in the same script. */
  readonly common?: readonly string[]
  /** Boundaries between clauses. */
  readonly breaks: readonly string[]
  /** Words skipped before the first word that counts. */
  readonly fillers: readonly string[]
  /** A request in the form of a question; what follows is classified like a separate sentence. */
  readonly polite?: readonly string[]
  /** Openings of a step of the work. */
  readonly steps?: readonly string[]
  readonly refusals: readonly RefusalRule[]
  readonly rules: readonly BindingRule[]
  /** Allows what a demand forbade; its object follows. */
  readonly allows: readonly string[]
  /** Says that a demand no longer holds; its object follows. */
  readonly releases: readonly string[]
  /** Says the same of something that is named anywhere in the sentence: `that rule about X is gone`. */
  readonly ends: readonly string[]
  /** Takes back the previous statement. */
  readonly cancels: readonly string[]
  /** Words before something that is not to be used any more. */
  readonly negations: readonly string[]
  /** Words without a meaning of their own, ignored when two sentences are compared. */
  readonly empty: readonly string[]
  /** Words that make a request one of this moment, and no rule: `for now`, `this time`. A prohibition holds even so. */
  readonly passing: readonly string[]
  /** Words that limit a prohibition to the moment. */
  readonly moment: readonly string[]
  /** Words that make a rule a standing one: a single later request does not lift it. */
  readonly always: readonly string[]
  /** Titles of lists whose items bind. */
  readonly headings: readonly string[]
  /** Those of them that forbid: an item says what not to do. */
  readonly forbiddenHeadings: readonly string[]
}
