export const groupHelp = `
Examples:
  tenfold dump create --reason "out of budget" --log session.jsonl --task T-12
  tenfold dump list
  tenfold dump restore LATEST ../sandbox --repository .
  tenfold dump export T-12 -o T-12.tar.gz
  claude "$(tenfold resume --dump LATEST)"`

export const createHelp = `
Secrets are replaced by marks in every part. Committed files are not stored: the dump holds what differs from the head,
staged, unstaged and untracked, as one patch for git apply. The index and the work tree stay as they are.
TENFOLD_DUMP=off, or {"dump": {"create": {"off": true}}} in a config file, switches dumps off: nothing is written, and
the exit code is 0.

Examples:
  tenfold dump create --reason "out of budget" --log session.jsonl --task T-12 --iteration 3
  tenfold dump create --reason "crashed" --state-key run:12 --state-command 'redis-cli GET "$TENFOLD_STATE_KEY"'
  tenfold dump create --reason "timeout" --snapshot "logs/**" ".env" --prompt-file p.txt --stderr-file err.txt --exit-code 1

Exit codes: 0 everything was dumped, 1 a part could not be dumped (the rest was), 130 interrupted.`

export const listHelp = `
Examples:
  tenfold dump list --task T-12
  tenfold dump list --json | jq -r '.[].metadata.reason'`

export const showHelp = `
Examples:
  tenfold dump show LATEST
  tenfold dump show LATEST --file src/limiter.ts
  tenfold dump show T-12.tar.gz --file agent/conversation.jsonl
  tenfold dump show 20260304T0506 --json | jq '.manifest.missing'`

export const verifyHelp = `
Examples:
  tenfold dump verify LATEST
  tenfold dump verify LATEST --json | jq '.findings'

Exit codes: 0 no faults (there may be warnings), 1 faults.`

export const restoreHelp = `
The folder must be new or empty; without --repository, if the dump has a head, it must be a clean checkout of that head.
Files that held secrets are restored with marks in place of the secrets, and are listed.

Examples:
  tenfold dump restore LATEST ../sandbox --repository .
  git worktree add --detach ../sandbox 0123abcd && tenfold dump restore LATEST ../sandbox

Exit codes: 0 everything is restored, except what the dump reports as redacted or left out; 1 something differs.`

export const exportHelp = `
The file unpacks to one folder with all parts, and with the files that are stored whole under their own paths. The
commands show, verify, restore and resume --dump read the file, or the folder that tar -xzf makes of it.

Examples:
  tenfold dump export LATEST -o halted.tar.gz
  tenfold dump verify halted.tar.gz`

export const deleteHelp = `
Examples:
  tenfold dump delete 20260304T050607089Z-123456789`
