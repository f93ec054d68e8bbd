import { controlReadings } from './control-reading.ts'
import { dumpReadings } from './dump-reading.ts'
import { encodedReadings } from './encoded-reading.ts'
import { joinedReadings } from './joined-reading.ts'
import { prefixedReadings } from './prefixed-reading.ts'
import type { Reading } from './reading.ts'

/**
 * Hidden contents of a text: titles and links of a terminal, bytes of a dump, literals that code joins, values
 * behind line numbers or diff signs, encoded texts.
 */
export function readingsOf(text: string): Reading[] {
  return [controlReadings, dumpReadings, joinedReadings, prefixedReadings, encodedReadings].flatMap((read) =>
    read(text),
  )
}
