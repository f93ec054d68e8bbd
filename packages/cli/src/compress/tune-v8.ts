import { setFlagsFromString } from 'node:v8'

/** Logs of at least this many bytes let the heap grow by this many percent before garbage is collected. */
const large = 100_000_000
const growth = 15

/** Sets flags of V8 for a run whose largest log has this many bytes. Node 20, 22 and 24 have these flags. */
export function tuneV8(largest: number): void {
  // Compiles a regular expression to machine code at its first use, without bytecode first. The readers use hundreds of
  // large ones, so this saves a tenth of the CPU time for a log of 1 MB. `--no-regexp-tier-up` would do the same, but
  // V8 crashes if an expression that is already bytecode runs again.
  setFlagsFromString('--regexp-tier-up-ticks=0')
  // Most functions run too briefly to repay their optimization, which takes a fifth of the CPU time for a log of 4 MB.
  // Node 22 and later optimize later by default and do not have this flag.
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=600000')
  // By default, V8 lets the heap grow up to fourfold before it collects garbage, so a log of 1 GB would take more than
  // 2 GB of memory. Collecting earlier takes 5 % more time.
  if (largest >= large) setFlagsFromString(`--heap-growing-percent=${growth}`)
}
