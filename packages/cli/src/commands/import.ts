import { importAll, importOptions } from '../import/import-all.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'import',
  description:
    'Bring bundles, checkpoints, halt dumps and conversations of other tools into the store. Content decides what a file is; the files stay as they are, and a second run adds nothing.',
  arguments: [['<path>', 'a file, or a folder to search']],
  options: importOptions,
  help: `
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

Exit codes: 0 done, 1 a file failed or there was nothing to import, 2 wrong usage, 130 interrupted.`,
  run: (options, context, path) => importAll(path, options, context),
})
