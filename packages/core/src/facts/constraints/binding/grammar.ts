/** Why a sentence binds whoever goes on with the work. */
export type Binding =
  /** Something must not be done or must not be. */
  | 'prohibition'
  /** Something must or should be so. */
  | 'necessity'
  /** A rule for each time, from now on, by default. */
  | 'standing'
  /** How far the work may go, and what it may use. */
  | 'limit'
  /** Something stays as it is, or is to be made sure. */
  | 'keep'
  /** A form that the person wants or chose. */
  | 'preference'
  /** An item below a heading such as "Constraints". */
  | 'listed'

/** Why a sentence does not bind, though words of it may demand something. */
export type Refusal =
  | 'question'
  /** What the person knows, does, needs or feels. */
  | 'narrative'
  /** How something behaves or fails. */
  | 'report'
  /** Something that is only being thought about. */
  | 'musing'
  /** Words of somebody else. */
  | 'quote'
  /** A later sentence of the person lifted it. */
  | 'lifted'
  /** Nothing in it says that it binds: a request for one step, a remark, an answer. */
  | 'plain'

export interface BindingRule {
  readonly kind: Exclude<Binding, 'listed'>
  /** Patterns, joined by `|`; anchored to the first word of a clause if `at` is `head` or `lead`. */
  readonly patterns: readonly string[]
  /** `lead`: at the head of a clause that does not stand in brackets. */
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

/** What a language says demands and other sentences with. Patterns are matched without regard to case. */
export interface Grammar {
  readonly language: string
  /** Frequent words that tell the language from others in the same script. */
  readonly common?: readonly string[]
  /** Where a clause ends and another begins. */
  readonly breaks: readonly string[]
  /** Words before the first word that counts. */
  readonly fillers: readonly string[]
  /** A request in the form of a question; what follows is classified like a sentence of its own. */
  readonly polite?: readonly string[]
  /** How a step of the work begins. */
  readonly steps?: readonly string[]
  readonly refusals: readonly RefusalRule[]
  readonly rules: readonly BindingRule[]
  /** Allows what a demand forbade; what follows is its object. */
  readonly allows: readonly string[]
  /** Says that a demand no longer holds; what follows is its object. */
  readonly releases: readonly string[]
  /** Takes back what was said last. */
  readonly cancels: readonly string[]
  /** Before what is not to be used any more. */
  readonly negations: readonly string[]
  /** Words without a subject of their own, left out where two sentences are compared. */
  readonly empty: readonly string[]
  /** Words that say that a prohibition is for the moment. */
  readonly moment: readonly string[]
  /** Words that make a rule a standing one: a single later request does not lift it. */
  readonly always: readonly string[]
  /** Titles of lists whose items bind. */
  readonly headings: readonly string[]
  /** Those of them that forbid: an item says what is not to be done. */
  readonly forbiddenHeadings: readonly string[]
}
