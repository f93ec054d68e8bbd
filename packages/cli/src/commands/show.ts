import { bundleToMarkdown } from '@tenfold/core'
import { option } from '../options/option.ts'
import { bundleNames, storeOption, trackOfLatest } from '../options/options.ts'
import { findBundle } from '../store/find-bundle.ts'
import { openStore, usualTrack } from '../store/open-store.ts'
import { warnOfOrigin } from '../store/shown-origin.ts'
import { toSafeJson } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'show',
  description: 'Print a bundle as Markdown or JSON. A file in either form can be printed in either.',
  arguments: [['[bundle]', `${bundleNames} (default: LATEST)`]],
  options: [storeOption, trackOfLatest, option('--json', 'print JSON instead of Markdown')],
  help: `
Examples:
  tenfold show
  tenfold show LATEST --track review --json
  tenfold show 20260304T0506
  tenfold show handover.md --json`,
  async run({ store: place, track: given, json }, { terminal, isDefault }, name = 'LATEST') {
    const store = await openStore(place, terminal)
    const track = isDefault('track') ? ((await usualTrack(store, { otherwise: true })) ?? given) : given
    const bundle = await findBundle(name, { store, track, terminal })
    await warnOfOrigin(terminal, store, place, bundle.id)
    // The bundle's schema accepts only clean text.
    terminal.write(json ? `${toSafeJson(bundle, 2)}\n` : bundleToMarkdown(bundle))
  },
})
