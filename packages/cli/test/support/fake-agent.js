// An agent as hooks see it: a process that keeps its log open once it wrote to it, and runs each hook through a shell.
// It is told what to do on lines of JSON: {"append": text for the log} or {"hook": payload}; each is answered by a line
// with what the hook said.
import { spawnSync } from 'node:child_process'
import { openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [agent, log, command] = process.argv.slice(2)
let file
for await (const line of createInterface({ input: process.stdin })) {
  const { append, hook } = JSON.parse(line)
  if (append !== undefined) {
    file ??= openSync(log, 'a')
    writeSync(file, append)
  }
  const ran =
    hook && spawnSync(`${command} hook ${agent} || exit 0`, { shell: true, input: JSON.stringify(hook) })
  process.stdout.write(
    `${JSON.stringify({ code: ran?.status ?? 0, answer: ran?.stdout.toString() ?? '' })}\n`,
  )
}
