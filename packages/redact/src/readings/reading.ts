import type { Span } from '../spans.ts'

/** Text that a part of another text stands for, such as the bytes of a hex dump. */
export interface Reading {
  readonly text: string
  /** The parts of the text that hold a part of the reading; none if the text itself holds it. */
  spans(span: Span): Span[]
}
