/** What agents are to do, for the file that their project instructs them with. */
export const checkpointGuide = `## Checkpoints

Work here outlives your context. Keep its state with \`tenfold\`, on a track of your own if other agents work here too.

After a compaction, and whenever you do not know the state of the work:

1. Run \`tenfold checkpoint resume --live\` (with \`--track NAME\` if you have a track of your own).
   Without the command, read \`.agents/bundles/checkpoints/LATEST.md\`.
2. Compare branch, head and files with what it says. What no longer holds comes first.
3. If the next command of your own track still fits what you were asked to do, run it; do not do finished work again.
4. Save a new checkpoint before you begin something new.

Before a long command, a subagent, or the next phase, and when a step is done:

    tenfold checkpoint save --track main --step "what is done" --next-cmd "the exact next command" \\
      --validation green --note "what was learned" --file path/of/a/file --extra key=value

- \`--next-cmd\` matters most: it is what the next context starts with.
- \`--validation\` is green, pending or failed: say what was checked, not what you hope.
- Agents that work beside the main one add \`--no-set-current\` and their own \`--track\`.

At the end of a phase, save what you found and decided: \`tenfold save FILE.md\` (see \`tenfold save --help\`).
`
