import type { Span } from '../spans.ts'

/** Part of a text as somebody reads it who does not see the text itself. */
export interface Reading {
  readonly text: string
  /** The parts of the text that hold a part of the reading; none if the text holds it as it is anyway. */
  spans(span: Span): Span[]
}
