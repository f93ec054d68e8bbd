import { setFlagsFromString } from 'node:v8'

/** Logs of at least this many bytes let the heap grow by this many percent before garbage is collected. */
const large = 100_000_000
const growth = 15

/** Sets flags of V8 for a run whose largest log has this many bytes. Node 20, 22 and 24 have these flags. */
export function tuneV8(largest: number): void {
  // A regular expression becomes machine code at its first use, not bytecode first. What reads a log uses hundreds of
  // large ones: a tenth of the CPU time of a log of 1 MB. `--no-regexp-tier-up` would do the same, but V8 crashes if
  // an expression that is already bytecode runs again.
  setFlagsFromString('--regexp-tier-up-ticks=0')
  // Most functions run too briefly to pay for being optimized, which takes a fifth of the CPU time of a log of 4 MB.
  // Node 22 and later optimize later by themselves, and have no such flag.
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=600000')
  // By V8's defaults garbage is collected when the heap is up to four times as large as what was in use: a log of 1 GB
  // would take more than 2 GB of memory. Collecting earlier takes a twentieth more time.
  if (largest >= large) setFlagsFromString(`--heap-growing-percent=${growth}`)
}
