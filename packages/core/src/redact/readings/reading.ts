import type { Span } from '../spans.ts'

/** Part of a text as it is read by someone who does not see the text itself. */
export interface Reading {
  readonly text: string
  /** The parts of the text that hold a part of the reading; none if the text itself holds it. */
  spans(span: Span): Span[]
}
