import { setFlagsFromString } from 'node:v8'

/** Sets how V8 runs while logs are compressed; Node 20, 22 and 24 have these flags. */
export function tuneV8(): void {
  // A regular expression becomes machine code at its first use, not bytecode first. What reads a log uses hundreds of
  // large ones: a tenth of the CPU time of a log of 1 MB.
  setFlagsFromString('--no-regexp-tier-up')
  // All garbage is collected when the heap is half as large again as what was in use. By default V8 waits until it is up
  // to four times as large, which is gigabytes for a log of one. Takes no more time, as far as can be measured.
  setFlagsFromString('--heap-growing-percent=50')
}
