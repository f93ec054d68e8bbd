import { controlReadings } from './control-reading.ts'
import { dumpReadings } from './dump-reading.ts'
import { joinedReadings } from './joined-reading.ts'
import type { Span } from './spans.ts'

/** Part of a text as somebody reads it who does not see the text itself. */
export interface Reading {
  readonly text: string
  /** The parts of the text that hold a part of the reading; none if the text holds it as it is anyway. */
  spans(span: Span): Span[]
}

/** What a text holds besides its words: titles and links of a terminal, bytes of a dump, literals that code joins. */
export function readingsOf(text: string): Reading[] {
  return [...controlReadings(text), ...dumpReadings(text), ...joinedReadings(text)]
}
