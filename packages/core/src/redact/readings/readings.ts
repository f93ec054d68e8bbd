import { controlReadings } from './control-reading.ts'
import { dumpReadings } from './dump-reading.ts'
import { encodedReadings } from './encoded-reading.ts'
import { joinedReadings } from './joined-reading.ts'
import type { Reading } from './reading.ts'

/** Hidden contents of a text: titles and links of a terminal, bytes of a dump, literals that code joins, encoded texts. */
export function readingsOf(text: string): Reading[] {
  return [...controlReadings(text), ...dumpReadings(text), ...joinedReadings(text), ...encodedReadings(text)]
}
