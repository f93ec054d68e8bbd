import { runSweep, sweepOptions } from '../background/sweep/run-sweep.ts'
import { modelFault } from '../options/model-options.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'sweep',
  description:
    'Compress what was missed: first the queue of the hooks, then quiet logs of all agents that are not compressed yet.',
  options: sweepOptions,
  help: `
If a sweep is killed, the next one continues its work; if two run at once, the second does nothing. On a track, sessions
are in the order in which they ended. Logs whose project is unknown or missing go to the folder bundles in TENFOLD_HOME
(default: $XDG_STATE_HOME/tenfold or ~/.local/state/tenfold).

A sweep also makes the bundles that hooks ask for: TENFOLD_SWEEP_KIND, or "kind" for sweep in a config file, sets their
kind.

Examples:
  tenfold sweep --dry-run
  tenfold sweep --idle 12 --agent claude-code
  0 * * * *  tenfold sweep --quiet          a line of a crontab`,
  fault: modelFault,
  run: runSweep,
})
