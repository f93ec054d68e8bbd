import type { Command } from 'commander'
import { type ImportOptions, importAll } from '../import/import-all.ts'
import { storeOption, trackOption } from '../options/options.ts'
import { addRedactOptions, redactFault } from '../options/redact-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'

export function addCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('import')
    .description(
      'Bring bundles, checkpoints, halt dumps and conversations of other tools into the store. Content decides what a file is; the files stay as they are, and a second run adds nothing.',
    )
    .argument('<path>', 'a file, or a folder to search')
    .addOption(storeOption())
    .addOption(trackOption('track for all of it (default: the one that a file names, otherwise main)'))
    .option('--dry-run', 'write nothing; say what would be imported')
    .option('--json', 'print one JSON object: imported, failed, passedOver')
  addRedactOptions(command)
  command.addHelpText('after', importHelp)
  command.action(async (path: string, options: ImportOptions) => {
    const fault = redactFault(options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    context.finish(await importAll(path, options, context))
  })
}

const importHelp = `
What it knows:
  Context bundles in JSON    session_id, workflow_state, files_read, decisions, resume_instructions, …
  Bundles in Markdown        # Research Bundle: …, # Plan Bundle: …; the name of the file is the task
  Checkpoints                context_checkpoint_*.json or .md, LATEST.json with an entry for each track
  Halt dumps                 a folder with metadata.json, agent/, filesystem/, environment/
  Conversations, logs        every format that tenfold compress reads; they are compressed offline
  Bundles of Tenfold         and checkpoints, as single files; tenfold copy brings whole stores

Examples:
  tenfold import --dry-run RLM/progress/bundles
  tenfold import .agents/bundles/AUTH-7.md
  tenfold import runtime/checkpoints
  tenfold import --json tmp/halt-dump | jq '.imported[] | select(.notes != [])'

Exit codes: 0 done, 1 a file failed or there was nothing to import, 2 wrong usage, 130 interrupted.`
