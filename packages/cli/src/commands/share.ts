import { join } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { storeGitIgnore } from '@tenfold/storage-fs'
import { option } from '../options/option.ts'
import { storeOption } from '../options/options.ts'
import { assertLocalStore } from '../store/open-store.ts'
import { isInRepository } from '../store/project-store.ts'
import { readTextNow } from '../terminal/regular-file.ts'
import { shellWord } from '../terminal/text.ts'
import { unlessRefused } from '../terminal/thrown.ts'
import { writeOutput } from '../terminal/user-files.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'share',
  description:
    'Let Git track a store, so that it can be committed with the code. A new store is ignored by Git.',
  arguments: [['[store]', 'folder of the store (default: the value of --store)']],
  options: [storeOption, option('--undo', 'let Git ignore it again')],
  help: `
Bundles and checkpoints are files that Git merges; archived logs, halt dumps and copies of what is newest stay out.
Others who clone the repository trust the store once with 'tenfold trust', so that the hooks give its briefs.

Examples:
  tenfold share                      the store of the project in this folder
  tenfold share --undo`,
  async run({ undo = false, store: usual }, { terminal, signal }, store = usual) {
    const shown = cleanLine(store)
    assertLocalStore(store, { remote: 'Git cannot track it' })
    const path = join(store, '.gitignore')
    const before = unlessRefused(() => readTextNow(path), undefined, 'ENOENT')
    const own = [true, false].map((isShared) => storeGitIgnore({ isShared }))
    if (before !== undefined && !own.includes(before))
      throw new TenfoldError(
        'out-exists',
        `${cleanLine(path)} was changed by hand, so it stays as it is. A line "*" in it makes Git ignore the store.`,
      )
    await writeOutput(path, [storeGitIgnore({ isShared: !undo })], { signal })
    const word = shellWord(shown)
    const next = isInRepository(store) ? `Next: git add ${word}` : 'It is in no Git repository yet: git init'
    terminal.say(
      undo
        ? `Git now ignores new files in ${shown}. To stop tracking the old ones: git rm -r --cached ${word}`
        : `Git now tracks the bundles and checkpoints of ${shown}, not its archived logs. ${next}`,
    )
  },
})
