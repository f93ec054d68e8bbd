// Runs `tenfold …` for the documents in one process that has the command line loaded, since most of the time of a command
// is its start. `node warm-command.js serve` waits for commands; `node warm-command.js run ARGS…` gives it one.
import { spawnSync } from 'node:child_process'
import { connect, createServer } from 'node:net'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { captureOutput, commandStreams } from './capture-output.js'

const socket = process.env.WARM_COMMAND_SOCKET
const bin = new URL('../../packages/cli/bin/tenfold.js', import.meta.url)
const [mode, ...args] = process.argv.slice(2)
if (mode === 'serve') await serve()
else await run()

async function serve() {
  const { main } = await import('../../packages/cli/dist/main.js')
  process.stdout.setMaxListeners(0)
  process.stderr.setMaxListeners(0)
  let last = Promise.resolve()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    last = last.then(async () =>
      client.end(JSON.stringify(await answer(main, JSON.parse(await received(client))))),
    )
  })
  server.listen(socket, () => process.send?.('ready'))
  process.once('disconnect', () => process.exit())
}

async function answer(main, { args: given, cwd, env }) {
  process.chdir(cwd)
  process.env = { ...env }
  return await captureOutput(async () => ({ code: await main(given, commandStreams()) }))
}

async function run() {
  // What reads stdin needs a process of its own.
  if (args.includes('-')) {
    process.exitCode =
      spawnSync(process.execPath, [fileURLToPath(bin), ...args], { stdio: 'inherit' }).status ?? 1
    return
  }
  const client = connect({ path: socket, allowHalfOpen: true })
  client.end(JSON.stringify({ args, cwd: process.cwd(), env: process.env }))
  const { code, stdout, stderr } = JSON.parse(await received(client))
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  process.exitCode = code
}

/** All that comes until the other side ends; reading it as a stream would end this side too. */
function received(client) {
  return new Promise((resolve, reject) => {
    const chunks = []
    client.on('data', (chunk) => chunks.push(chunk))
    client.once('end', () => resolve(Buffer.concat(chunks).toString()))
    client.once('error', reject)
  })
}
