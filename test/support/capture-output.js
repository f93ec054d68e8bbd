import process from 'node:process'

const names = ['stdout', 'stderr']

/** Runs something. Returns the fields that it returns, and what it printed. */
export async function captureOutput(run) {
  const printed = { stdout: '', stderr: '' }
  const writes = names.map((name) => process[name].write)
  for (const name of names)
    process[name].write = (chunk) => {
      printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      return true
    }
  try {
    return { ...(await run()), ...printed }
  } finally {
    for (const [at, name] of names.entries()) process[name].write = writes[at]
  }
}

/** The streams of a command; a terminal if it is given a width. */
export function commandStreams(columns) {
  const streamOf = (name) => ({
    write: (chunk) => process[name].write(chunk),
    isTTY: columns !== undefined,
    columns,
    onError: () => undefined,
  })
  return { stdin: process.stdin, stdout: streamOf('stdout'), stderr: streamOf('stderr') }
}
