import { setFlagsFromString } from 'node:v8'

/** A log of this many bytes takes a gigabyte of memory by V8's defaults. */
const largeLog = 100_000_000

/** Sets how V8 runs while logs are compressed, the largest of so many bytes; Node 20, 22 and 24 have these flags. */
export function tuneV8(largest: number): void {
  // A regular expression becomes machine code at its first use, not bytecode first. What reads a log uses hundreds of
  // large ones: a tenth of the CPU time of a log of 1 MB.
  setFlagsFromString('--no-regexp-tier-up')
  // All garbage is collected when the heap is half as large again as what was in use, not up to four times as large.
  // It takes a twentieth more time.
  if (largest >= largeLog) setFlagsFromString('--heap-growing-percent=50')
}
